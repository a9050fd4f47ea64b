package io.tatami.client.file;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.PendingFlush;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.WriteSpec;
import io.tatami.client.meta.LeaseRenewer;
import io.tatami.client.meta.MetadataCall;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.BlockReport;
import io.tatami.protocol.wire.CompleteReply;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.Status;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Writes one file from its end on. Used by one thread at a time. Small files stay in memory and are stored in their
 * entry when they are closed; what grows beyond, or is flushed, goes to blocks.
 *
 * <p>A failure that cannot be mended stays: every later call throws it again, {@link #close} included. A thread that is
 * interrupted while it waits gets {@link InterruptedIOException}; the writer can be used on, and {@link #position}
 * tells how many bytes were taken.
 */
public final class FileWriter implements AutoCloseable {
    /** So much is kept in memory of the writer's alone: many may be open for long that write little. */
    private static final int MEMORY_BYTES_MAX = 256 << 10;

    /** The next block's grant is asked for when so much is left of the current one, or a quarter if that is less. */
    private static final long PREFETCH_ROOM_BYTES = 32 << 20;

    private final FileHome home;
    private final BlockClient blocks;
    private final LeaseRenewer leases;
    private final long blockSizeBytes;
    private final int replication;
    private final int inlineBytesMax;
    private final GrantQueue grants;
    private final List<BlockReport> finished = new ArrayList<>();
    private final MemoryContent memory;
    private final AtomicBoolean hadBlocks;
    private final LeaseRenewer.Holder lease = new LeaseRenewer.Holder() {
        @Override
        public void leaseLost() {
            lost = new TatamiException(
                    ErrorCode.LEASE_EXPIRED,
                    "the lease on " + file() + " is gone: the file was recovered, deleted or taken over");
        }

        @Override
        public void clientClosed() {
            lost = new TatamiException(ErrorCode.CANCELLED, "the client was closed before the file");
        }
    };

    /** The memory's content goes to blocks, or has gone there; false while all content is in memory. */
    private boolean spilling;

    private @Nullable BlockPipeline current;

    /** The content is complete, so that the length of what is left is that of the last block. */
    private boolean completing;

    /** The block whose existence with bytes the home was told of last. */
    private long recordedBlock;

    private int inlineBytesBefore;
    private long position;

    /** Of blocks that are finished. */
    private long sharedBytes;

    /** What closes the file, once its content is complete. */
    private @Nullable MetadataCall<CompleteRequest, CompleteReply> completion;

    private boolean closed;
    private @Nullable TatamiException failure;
    private volatile @Nullable TatamiException lost;

    /**
     * What a writer needs beside its file.
     *
     * @param hadBlocks is told when the file ends whether it has blocks
     */
    record Parts(FileHome home, BlockClient blocks, LeaseRenewer leases, int inlineBytesMax, AtomicBoolean hadBlocks) {}

    private FileWriter(Parts parts, Status status, List<Grant> granted) {
        this.home = parts.home();
        this.blocks = parts.blocks();
        this.leases = parts.leases();
        this.blockSizeBytes = status.getBlockSize();
        this.replication = status.getReplication();
        this.inlineBytesMax = parts.inlineBytesMax();
        this.memory = new MemoryContent(MEMORY_BYTES_MAX);
        this.hadBlocks = parts.hadBlocks();
        this.grants = new GrantQueue(home, blockSizeBytes, granted);
    }

    /** A writer of a file that was just created. */
    static FileWriter create(Parts parts, CreateReply created) {
        return new FileWriter(parts, created.getStatus(), created.getGrantList()).begin();
    }

    /** A writer at the end of a file that was there. */
    static FileWriter append(Parts parts, AppendReply opened) {
        FileWriter writer = new FileWriter(parts, opened.getStatus(), List.of());
        writer.position = opened.getStatus().getLength();
        if (opened.hasInline()) {
            writer.memory.take(opened.getInline().asReadOnlyByteBuffer());
            writer.inlineBytesBefore = opened.getInline().size();
        } else if (writer.position > 0) {
            writer.spilling = true;
        }
        if (opened.hasLastBlock()) {
            long committed = opened.getStatus().getBlock(0).getGeneration();
            writer.current = BlockPipeline.append(
                    writer.home, writer.blocks, opened.getLastBlock(), committed, writer.blockSizeBytes);
        }
        return writer.begin();
    }

    private FileWriter begin() {
        leases.add(home.file(), lease);
        return this;
    }

    public FileId file() {
        return home.file();
    }

    /** Bytes from the start of the file to where the next one goes. */
    public long position() {
        return position;
    }

    /** How many bytes went to block servers of this host in memory that both see. */
    public long sharedBytes() {
        return current == null ? sharedBytes : sharedBytes + current.sharedBytes();
    }

    /** Takes all bytes, and may wait until block servers have taken earlier ones. The array is the caller's again. */
    public void write(byte[] bytes, int offset, int length) throws IOException {
        write(ByteBuffer.wrap(bytes, offset, length));
    }

    /** Takes all bytes between position and limit. */
    public void write(ByteBuffer bytes) throws IOException {
        int before = bytes.remaining();
        try {
            attempt(() -> take(bytes));
        } finally {
            position += before - bytes.remaining();
        }
    }

    /**
     * Returns when new readers see all bytes written, which then survive the end of any process; not that of the host,
     * for which there is {@link #hsync}. The first one in a block asks the file's home whether this writer still has
     * the lease.
     *
     * @throws IOException also where the file was recovered, deleted or replaced: then none of the bytes that were not
     *     flushed before are promised
     */
    public void hflush() throws IOException {
        attempt(() -> {
            if (spill()) {
                flush(false, false);
            }
        });
    }

    /**
     * Sends all bytes written, to be flushed as by {@link #hflush} or, durably, {@link #hsync}. Another thread may use
     * the writer before that is waited for.
     */
    public PendingFlush beginFlush(boolean durably) throws IOException {
        return attempted(() -> {
            BlockPipeline block = spill() ? current : null;
            if (block == null || block.isUntouched()) {
                return PendingFlush.NOT_SENT;
            }
            boolean isNews = isNews(block);
            PendingFlush sent = block.beginFlush(durably || isNews);
            // The home is told once the servers have the bytes.
            return isNews ? () -> sent.await() && false : sent;
        });
    }

    /**
     * Returns when all bytes written are on the devices of every server that holds them: they survive a power cut.
     *
     * @param recordLength whether the file's status shall tell the length from now on; costs a call each time
     */
    public void hsync(boolean recordLength) throws IOException {
        attempt(() -> {
            if (spill()) {
                flush(true, recordLength);
            }
        });
    }

    /** On how many servers the block being written is; the file's replication where none is. */
    public int currentReplication() {
        return current == null ? replication : current.copies();
    }

    /**
     * Makes all bytes durable and the file closed. Does nothing after it succeeded, and fails again after it failed;
     * after an interrupt it may be called again, and goes on where it was.
     */
    @Override
    public void close() throws IOException {
        if (closed && failure == null) {
            return;
        }
        attempt(this::complete);
        closed = true;
        release();
    }

    /**
     * Gives the file up without completing it: it stays open at the cluster until its lease is recovered, with the
     * bytes that were flushed. Does nothing after a close that succeeded.
     */
    public void abort() {
        if (!closed) {
            closed = true;
            failure = new TatamiException(ErrorCode.CANCELLED, "the writer of " + home.file() + " was aborted");
            release();
        }
    }

    /**
     * As {@link #abort}, for threads that do not use the writer: what its own thread does at the moment, and after,
     * fails. Does nothing after a close that succeeded.
     */
    public void giveUp() {
        lease.clientClosed();
        leases.remove(home.file(), lease);
    }

    /** A part of the work that may be refused. */
    @FunctionalInterface
    private interface Step {
        void run() throws TatamiException;
    }

    /** The same with a result. */
    @FunctionalInterface
    private interface Work<T> {
        T run() throws TatamiException;
    }

    private void attempt(Step step) throws IOException {
        boolean unused = attempted(() -> {
            step.run();
            return true;
        });
    }

    private <T> T attempted(Work<T> work) throws IOException {
        requireUsable();
        try {
            return work.run();
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.CANCELLED && Thread.currentThread().isInterrupted()) {
                InterruptedIOException interrupted =
                        new InterruptedIOException("interrupted while writing " + home.file());
                interrupted.initCause(e);
                throw interrupted;
            }
            failure = e.code() == ErrorCode.FENCED ? whyFenced(e) : e;
            release();
            throw failure;
        }
    }

    /** What the home says of the file that a block server refused to write on: deleted, recovered, or nothing. */
    private TatamiException whyFenced(TatamiException fenced) {
        try {
            home.commitLength(List.of());
            return fenced;
        } catch (TatamiException e) {
            e.addSuppressed(fenced);
            return e.code() == ErrorCode.LEASE_EXPIRED ? e : fenced;
        }
    }

    private void requireUsable() throws TatamiException {
        TatamiException reason = failure != null ? failure : lost;
        if (reason != null) {
            throw reason.again();
        }
        if (closed) {
            throw new TatamiException(ErrorCode.CANCELLED, "the writer of " + home.file() + " is closed");
        }
    }

    private void release() {
        leases.remove(home.file(), lease);
        grants.abandon();
        if (completion != null) {
            completion.abandon();
        }
        if (current != null) {
            current.close();
        }
    }

    private void take(ByteBuffer bytes) throws TatamiException {
        if (!spilling && memory.sizeBytes() + (long) bytes.remaining() <= MEMORY_BYTES_MAX) {
            memory.take(bytes);
            return;
        }
        drainMemory();
        while (bytes.hasRemaining()) {
            writeToBlock(bytes, bytes.remaining());
        }
    }

    /** Moves what is in memory to blocks. Returns false where there is nothing to move or flush. */
    private boolean spill() throws TatamiException {
        if (!spilling && memory.sizeBytes() == inlineBytesBefore) {
            return false;
        }
        drainMemory();
        return true;
    }

    private void drainMemory() throws TatamiException {
        spilling = true;
        for (ByteBuffer part = memory.next(); part != null; part = memory.next()) {
            writeToBlock(part, memory.unreadBytes());
        }
    }

    /**
     * Writes as much as the current block takes, and finishes it where it is full.
     *
     * @param nextBytes how many are to be written at least, from these on
     */
    private void writeToBlock(ByteBuffer bytes, int nextBytes) throws TatamiException {
        BlockPipeline block = currentBlock(nextBytes);
        block.write(bytes);
        if (block.isFull()) {
            finishCurrent(block, false);
        } else if (!completing && block.roomBytes() <= Math.min(PREFETCH_ROOM_BYTES, blockSizeBytes / 4)) {
            grants.prefetch(finished);
        }
    }

    private BlockPipeline currentBlock(int nextBytes) throws TatamiException {
        BlockPipeline block = current;
        if (block == null) {
            Grant grant = grants.next(finished);
            block = BlockPipeline.create(home, blocks, grant, newBlock(grant, nextBytes));
            current = block;
        }
        return block;
    }

    private WriteSpec newBlock(Grant grant, int nextBytes) {
        BlockId id = new BlockId(grant.getBlockId());
        return completing
                ? WriteSpec.createPacked(id, grant.getGeneration(), Math.min(nextBytes, blockSizeBytes))
                : WriteSpec.create(id, grant.getGeneration(), blockSizeBytes);
    }

    private void finishCurrent(BlockPipeline block, boolean isWhole) throws TatamiException {
        if (!block.isUntouched()) {
            block.finish(isWhole);
        }
        finished.add(block.report());
        sharedBytes += block.sharedBytes();
        current = null;
    }

    /**
     * Servers are told always, the home of lengths where asked to, and once of each block, after its servers have its
     * bytes: a recovery that came before is known there, and one that comes later finds the block at its servers and
     * fences this writer. Without that, a block that was granted ahead of a recovery could be begun after it, and its
     * bytes be acknowledged and lost. What the home is told of is on devices.
     */
    private void flush(boolean durably, boolean recordLength) throws TatamiException {
        BlockPipeline block = current;
        boolean isNews = isNews(block);
        if (block != null && !block.isUntouched()) {
            if (durably || recordLength || isNews) {
                block.hsync();
            } else {
                block.hflush();
            }
        }
        if (recordLength || isNews) {
            List<BlockReport> written = new ArrayList<>(finished);
            // The first bytes of a block are news still where it has none yet.
            BlockPipeline withBytes = block == null || block.position() == 0 ? null : block;
            if (withBytes != null) {
                written.add(withBytes.report());
            }
            home.commitLength(written);
            recordedBlock =
                    withBytes == null ? recordedBlock : withBytes.block().value();
        }
    }

    /** Whether the home is yet to hear of a block. */
    private boolean isNews(@Nullable BlockPipeline block) {
        // With the block that is being written the home was told of those that were finished before it.
        return block == null ? !finished.isEmpty() : block.block().value() != recordedBlock;
    }

    private void complete() throws TatamiException {
        MetadataCall<CompleteRequest, CompleteReply> asked = completion;
        if (asked == null) {
            asked = completion();
            completion = asked;
        } else {
            asked.extend(home.deadline());
        }
        asked.await();
    }

    private MetadataCall<CompleteRequest, CompleteReply> completion() throws TatamiException {
        boolean fitsInEntry = !spilling && memory.sizeBytes() <= inlineBytesMax;
        hadBlocks.set(!fitsInEntry);
        if (fitsInEntry) {
            return home.completion(List.of(), memory.toByteString(), grants.unused(finished));
        }
        completing |= !spilling;
        drainMemory();
        List<Long> unused = new ArrayList<>(grants.unused(finished));
        BlockPipeline block = current;
        if (block != null && block.position() == 0) {
            unused.add(0, block.block().value());
        } else if (block != null) {
            finishCurrent(block, block.position() == position);
        }
        return home.completion(finished, null, unused);
    }
}
