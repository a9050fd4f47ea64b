package io.tatami.client.file.write;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.PendingFlush;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.WriteSpec;
import io.tatami.protocol.wire.BlockLocation;
import io.tatami.protocol.wire.BlockReport;
import io.tatami.protocol.wire.Grant;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of one file from where it is written on. When a block's chain fails after bytes of it were acknowledged,
 * the block is sealed, which may make it shorter than others, and the next one begins with the bytes it lacks. After a
 * call that was interrupted the next one goes on there, and no byte is lost. Used by one thread at a time.
 *
 * <p>A block ends at a multiple of the block size in its file at the latest. So after a short block the next one is
 * short too, and all others are whole: input formats cut files at these multiples, and take for a split's hosts those
 * of the block in which it begins.
 */
public final class BlockSequence {
    /**
     * The next block's grant is requested when this many bytes are left in the current block, or a quarter of the block
     * size if that is less.
     */
    private static final long PREFETCH_ROOM_BYTES = 32 << 20;

    private final FileHome home;
    private final long blockSizeBytes;
    private final BlockPipeline.Parts parts;
    private final GrantQueue grants;

    /** Blocks that are complete, and that the home does not know to be. */
    private final List<BlockReport> finished = new ArrayList<>();

    private final CarriedBytes carried = new CarriedBytes();
    private @Nullable BlockPipeline current;

    /** Whether the content is complete, so that the length of the last block is known. */
    private boolean isContentComplete;

    /** The last block of which the home knows that it has bytes. */
    private long recordedBlock;

    /** Of the blocks that are written no more. */
    private long writtenBytes;

    /** Where in the file the present block begins, or the next one where there is none. */
    private long blockOffsetBytes;

    /** Bytes of finished blocks that went through shared memory. */
    private long sharedBytes;

    /**
     * @param fileBytes where in the file the first block begins that is not {@linkplain #continueLast continued}
     * @param granted the first blocks that may be written
     */
    public BlockSequence(
            FileHome home, BlockClient blocks, long blockSizeBytes, long fileBytes, Collection<Grant> granted) {
        WriteFailures failures = new WriteFailures(blocks.clock(), blockSizeBytes);
        this.home = home;
        this.blockSizeBytes = blockSizeBytes;
        this.blockOffsetBytes = fileBytes;
        this.parts = new BlockPipeline.Parts(home, blocks, failures);
        this.grants = new GrantQueue(home, blockSizeBytes, failures, granted);
    }

    /**
     * The file's last block is the first to be written, from its end on. To be called at most once, before all else.
     *
     * @param last with its new generation
     * @param committed the generation of the existing copies
     */
    public void continueLast(BlockLocation last, Generation committed) {
        blockOffsetBytes = last.getOffset();
        current = BlockPipeline.append(parts, last, committed, bytesOfBlock(last.getLength()));
    }

    /** How long the present block may become: to the next multiple of the block size behind what it has. */
    private long bytesOfBlock(long bytes) {
        long end = blockOffsetBytes + bytes;
        return Math.min(blockSizeBytes, end - end % blockSizeBytes + blockSizeBytes - blockOffsetBytes);
    }

    /** What is written from here on is all there will be: {@link #write} is told how much. */
    public void completeContent() {
        isContentComplete = true;
    }

    /** The number of bytes that went to a block server of this host through shared memory. */
    public long sharedBytes() {
        BlockPipeline block = current;
        return block == null ? sharedBytes : sharedBytes + block.sharedBytes();
    }

    /**
     * Takes all of {@code bytes}. If it throws, it has taken those before the buffer's position.
     *
     * @param nextBytes the number of bytes to be written at least, these included
     */
    public void write(ByteBuffer bytes, int nextBytes) throws TatamiException {
        int behind = nextBytes - bytes.remaining();
        settle();
        while (bytes.hasRemaining()) {
            append(bytes, behind + bytes.remaining());
            settle();
        }
    }

    /** Writes on where a block broke, until no byte is carried, or another one breaks for good. */
    private void settle() throws TatamiException {
        moveOn();
        for (ByteBuffer part = carried.next(); part != null; part = carried.next()) {
            append(part, part.remaining());
            moveOn();
        }
    }

    private void moveOn() throws TatamiException {
        BlockPipeline block = current;
        if (block != null && block.isBroken()) {
            carried.addFirst(block.block(), block.seal(finished), block.position());
            leave(block);
        }
    }

    /** Writes as much as the current block takes, and finishes the block if it is full. */
    private void append(ByteBuffer bytes, int nextBytes) throws TatamiException {
        BlockPipeline block = currentBlock(nextBytes);
        block.write(bytes);
        if (block.isBroken()) {
            return;
        }
        if (block.isFull()) {
            finish(block, false);
        } else if (!isContentComplete && block.roomBytes() <= Math.min(PREFETCH_ROOM_BYTES, blockSizeBytes / 4)) {
            grants.prefetch(finished);
        }
    }

    private BlockPipeline currentBlock(int nextBytes) throws TatamiException {
        BlockPipeline block = current;
        if (block == null) {
            Grant grant = grants.next(finished);
            block = BlockPipeline.create(parts, grant, newBlock(grant, nextBytes));
            current = block;
        }
        return block;
    }

    private WriteSpec newBlock(Grant grant, int nextBytes) {
        BlockId id = new BlockId(grant.getBlockId());
        Generation generation = Generation.of(grant.getGeneration());
        // Bytes that are carried say nothing of how many there will be.
        return isContentComplete && carried.isEmpty()
                ? WriteSpec.createPacked(id, generation, Math.min(nextBytes, bytesOfBlock(0)))
                : WriteSpec.create(id, generation, bytesOfBlock(0), writtenBytes);
    }

    /** Does nothing to a block that breaks. */
    private void finish(BlockPipeline block, boolean isWhole) throws TatamiException {
        if (!block.isUntouched()) {
            block.finish(isWhole);
        }
        if (!block.isBroken()) {
            finished.add(block.report());
            leave(block);
        }
    }

    private void leave(BlockPipeline block) {
        sharedBytes += block.sharedBytes();
        writtenBytes += block.position();
        blockOffsetBytes += block.position();
        current = null;
    }

    /**
     * Flushes at the servers: all bytes survive the end of every process, or, if {@code durably}, a power cut. Tells
     * the home the lengths if asked to, and once for each block, after its servers have its bytes.
     *
     * <p>The call to the home makes the flush safe against a recovery: a recovery that came before is known there, and
     * a later one finds the block at its servers and fences this writer. Without the call, a block that was granted
     * before a recovery could be begun after it, and its acknowledged bytes would be lost. The home learns only of
     * bytes that are on devices.
     */
    public void flush(boolean durably, boolean recordLength) throws TatamiException {
        do {
            settle();
            flushCurrent(durably || recordLength || isNews(current));
        } while (current != null && current.isBroken());
        BlockPipeline block = current;
        if (recordLength || isNews(block)) {
            record(block);
        }
    }

    private void flushCurrent(boolean durably) throws TatamiException {
        BlockPipeline block = current;
        if (block == null || block.isUntouched()) {
            return;
        }
        if (durably) {
            block.hsync();
        } else {
            block.hflush();
        }
    }

    private void record(@Nullable BlockPipeline block) throws TatamiException {
        List<BlockReport> written = new ArrayList<>(finished);
        // A block without bytes is still unknown to the home.
        BlockPipeline withBytes = block == null || block.position() == 0 ? null : block;
        if (withBytes != null) {
            written.add(withBytes.report());
        }
        home.commitLength(written);
        recordedBlock = withBytes == null ? recordedBlock : withBytes.block().value();
    }

    /** Whether the home does not know yet that the block has bytes. */
    private boolean isNews(@Nullable BlockPipeline block) {
        // When the home was told of the current block, it was told of all earlier ones.
        return block == null ? !finished.isEmpty() : block.block().value() != recordedBlock;
    }

    /**
     * Sends all bytes, to be flushed as by {@link #flush}. Does not wait. Where the block breaks before that, the wait
     * for it tells that something is left to do.
     */
    public PendingFlush beginFlush(boolean durably) {
        BlockPipeline block = current;
        if (block == null || block.isUntouched() || block.isBroken() || !carried.isEmpty()) {
            return PendingFlush.NOT_SENT;
        }
        boolean isNews = isNews(block);
        PendingFlush sent = block.beginFlush(durably || isNews);
        // The home learns the length after the servers have the bytes.
        return isNews ? () -> sent.await() && false : sent;
    }

    /**
     * Has the servers of the present block show that they are there, where nothing was sent for ten seconds. To be
     * called every few seconds; does not wait.
     *
     * @return false where {@link #mend} has something to do
     */
    public boolean keepAlive() {
        BlockPipeline block = current;
        return carried.isEmpty() && (block == null || block.keepAlive());
    }

    /**
     * Does after a failure what the next call would do: the block is sealed, and what it lacks is sent to another one.
     * Where that fails, the next call begins anew, and no failure is held against it.
     */
    public void mend() throws TatamiException {
        int failuresBefore = parts.failures().count();
        try {
            if (current != null) {
                current.mend();
            }
            settle();
        } catch (TatamiException e) {
            parts.failures().excuse(failuresBefore);
            throw e;
        }
    }

    /**
     * Makes all bytes durable, and every block final that has any.
     *
     * @param lengthBytes of the file
     */
    public void finish(long lengthBytes) throws TatamiException {
        settle();
        while (current != null && current.position() > 0) {
            finish(current, current.position() == lengthBytes);
            settle();
        }
    }

    /** After {@link #finish(long)}: has the home take the blocks as final before the file is closed. */
    public void reportFinished() throws TatamiException {
        grants.report(finished);
    }

    /** Blocks that are complete, and that the home does not know to be. */
    public List<BlockReport> finished() {
        return List.copyOf(finished);
    }

    /** After {@link #finish(long)}: the blocks that were granted and have no byte. */
    public List<Long> unused() throws TatamiException {
        List<Long> unused = new ArrayList<>();
        if (current != null) {
            unused.add(current.block().value());
        }
        unused.addAll(grants.unused(finished));
        return unused;
    }

    /** Gives up what is not final. */
    public void release() {
        grants.abandon();
        carried.release();
        if (current != null) {
            current.close();
        }
    }
}
