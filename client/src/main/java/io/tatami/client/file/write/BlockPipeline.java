package io.tatami.client.file.write;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.PendingFlush;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.PendingFrame;
import io.tatami.client.block.WriteSpec;
import io.tatami.client.meta.Backoff;
import io.tatami.client.meta.Deadline;
import io.tatami.protocol.wire.BlockLocation;
import io.tatami.protocol.wire.BlockReport;
import io.tatami.protocol.wire.Grant;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one block to a chain of servers. While none of its bytes is acknowledged, a chain that fails is followed by
 * another one, under a new generation from the block's home and on other servers. A chain that fails later
 * {@linkplain #isBroken breaks} the block: it is not written any more but {@linkplain #seal sealed}, at a length that
 * is at least what was acknowledged. Gives up as {@link WriteFailures} say, or at the operation's deadline. Used by the
 * writer's thread.
 */
final class BlockPipeline {
    private static final Logger LOG = LoggerFactory.getLogger(BlockPipeline.class);

    /** Failures that another attempt would meet as well. */
    private static final Set<ErrorCode> FINAL = Set.of(
            ErrorCode.INTERNAL,
            ErrorCode.INVALID_ARGUMENT,
            ErrorCode.FENCED,
            ErrorCode.LEASE_EXPIRED,
            ErrorCode.MALFORMED,
            ErrorCode.PROTOCOL_VERSION,
            ErrorCode.UNAUTHENTICATED,
            ErrorCode.UNSUPPORTED,
            ErrorCode.WRONG_CLUSTER);

    private final FileHome home;
    private final BlockClient blocks;
    private final WriteFailures failures;
    private WriteSpec spec;
    private List<ServerId> servers;

    /** The servers that the home was told to leave out since the last committed generation. */
    private Set<ServerId> failedServers = Set.of();

    /** The newest that is known to be committed at the home; that of the stream, except before {@link #ready}. */
    private Generation committedGeneration;

    private @Nullable BlockWriteStream stream;
    private boolean ready;

    /** Frames of earlier streams that were not acknowledged; owned here until a stream takes them. */
    private List<PendingFrame> unsent = new ArrayList<>();

    /** Bytes of earlier streams that went through shared memory. */
    private long sharedBytes;

    private long acknowledgedLength;
    private long position;

    /** Whether a chain has failed. */
    private boolean hasFailed;

    private boolean broken;

    /** What blocks are written with. */
    record Parts(FileHome home, BlockClient blocks, WriteFailures failures) {}

    private BlockPipeline(Parts parts, WriteSpec spec, Generation committedGeneration, List<ServerId> servers) {
        this.home = parts.home();
        this.blocks = parts.blocks();
        this.failures = parts.failures();
        this.spec = spec;
        this.committedGeneration = committedGeneration;
        this.servers = servers;
        this.position = spec.startOffset();
        this.acknowledgedLength = spec.startOffset();
    }

    /** A new block. */
    static BlockPipeline create(Parts parts, Grant grant, WriteSpec spec) {
        return new BlockPipeline(parts, spec, spec.generation(), ServerId.listOf(grant.getServerIdList()));
    }

    /**
     * The last block of a file, to be continued at its end on all servers that have it. Where not all of them can go
     * on, it {@linkplain #isBroken breaks}.
     *
     * @param last with its new generation
     * @param committedGeneration the generation of the existing copies
     */
    static BlockPipeline append(Parts parts, BlockLocation last, Generation committedGeneration, long blockSizeBytes) {
        WriteSpec spec = new WriteSpec(
                new BlockId(last.getBlockId()),
                Generation.of(last.getGeneration()),
                blockSizeBytes,
                last.getLength(),
                false,
                last.getLength(),
                committedGeneration,
                0);
        return new BlockPipeline(parts, spec, committedGeneration, ServerId.listOf(last.getServerIdList()));
    }

    BlockId block() {
        return spec.block();
    }

    /** The number of bytes of the block taken so far; of a sealed one, its length. */
    long position() {
        return position;
    }

    /** The number of bytes the block may still take, as known now. */
    long roomBytes() {
        return stream == null ? spec.reserveBytes() - position : stream.roomBytes();
    }

    /** Whether the block is full; known after a {@link #write}. */
    boolean isFull() {
        return ready && roomBytes() == 0;
    }

    /** The number of bytes written through shared memory; bytes that are sent again count again. */
    long sharedBytes() {
        BlockWriteStream writing = stream;
        return writing == null ? sharedBytes : sharedBytes + writing.sharedBytes();
    }

    /** Whether nothing was written yet. */
    boolean isUntouched() {
        return stream == null && unsent.isEmpty() && !hasFailed;
    }

    /**
     * Whether the chain failed after bytes were acknowledged. Nothing is written or flushed then, the calls do nothing,
     * and the block has to be {@linkplain #seal sealed}.
     */
    boolean isBroken() {
        return broken;
    }

    /** The block with the bytes taken so far and the committed generation. */
    BlockReport report() {
        return BlockReport.newBuilder()
                .setBlockId(block().value())
                .setGeneration(committedGeneration.value())
                .setLength(position)
                .build();
    }

    /**
     * Takes as much of {@code bytes} as the block has room for; if that is not all, the block {@link #isFull} or
     * {@link #isBroken}. Also if it throws, it has taken the bytes before the buffer's position.
     */
    void write(ByteBuffer bytes) throws TatamiException {
        int before = bytes.remaining();
        if (before == 0) {
            return;
        }
        try {
            mending(writing -> fill(writing, bytes));
        } finally {
            position += before - bytes.remaining();
        }
    }

    private static void fill(BlockWriteStream writing, ByteBuffer bytes) throws TatamiException {
        int limit = bytes.limit();
        try {
            while (bytes.position() < limit) {
                long room = writing.awaitRoomBytes();
                if (room == 0) {
                    // Its end may have been asked for already, and the wait for it interrupted.
                    return;
                }
                bytes.limit(bytes.position() + (int) Math.min(limit - bytes.position(), room));
                writing.write(bytes);
            }
        } finally {
            bytes.limit(limit);
        }
    }

    /** Returns when all bytes taken survive the end of every server's process, and are visible to readers. */
    void hflush() throws TatamiException {
        mending(BlockWriteStream::hflush);
    }

    /** Returns when all bytes taken are on the device of every server. */
    void hsync() throws TatamiException {
        mending(BlockWriteStream::hsync);
    }

    /**
     * Sends all bytes taken, to be flushed as by {@link #hflush} or, if {@code durably}, as by {@link #hsync}. Does not
     * wait.
     */
    PendingFlush beginFlush(boolean durably) {
        BlockWriteStream writing = stream;
        return writing == null || !ready ? PendingFlush.NOT_SENT : writing.beginFlush(durably);
    }

    /** Has the chain show that it is there. Does not wait; false where {@link #mend} or a seal is to be done. */
    boolean keepAlive() {
        BlockWriteStream writing = stream;
        if (broken || writing == null) {
            return !broken && unsent.isEmpty();
        }
        writing.keepAlive();
        return writing.failure() == null;
    }

    /**
     * Goes on after a failure of the chain, as the next call would: on another chain, or the block {@link #isBroken}.
     */
    void mend() throws TatamiException {
        if (stream != null || !unsent.isEmpty()) {
            mending(BlockPipeline::requireSound);
        }
    }

    private static void requireSound(BlockWriteStream writing) throws TatamiException {
        TatamiException failure = writing.failure();
        if (failure != null) {
            throw failure.again();
        }
    }

    /**
     * Makes all bytes durable and the block final.
     *
     * @param isWhole whether the block is all of its file
     */
    void finish(boolean isWhole) throws TatamiException {
        mending(writing -> {
            long length = writing.finish(isWhole);
            if (length != position) {
                throw new IllegalStateException(block() + " has " + length + " bytes, " + position + " were written");
            }
        });
        if (!broken) {
            failures.acknowledged(position - acknowledgedLength);
            acknowledgedLength = position;
            close();
        }
    }

    /**
     * Has a block that {@linkplain #isBroken broke} made final. May be called again after an interrupt.
     *
     * @param finished blocks before it that are complete and were not reported yet; none after this
     * @return the bytes taken beyond its {@link #position} of then, in frames that are the caller's
     */
    List<PendingFrame> seal(List<BlockReport> finished) throws TatamiException {
        Check.check(broken, "the chain of %s has not failed", block());
        BlockReport sealed = home.sealBlock(
                block(), spec.generation(), acknowledgedLength, failures.avoided(), List.copyOf(finished));
        finished.clear();
        if (sealed.getLength() < acknowledgedLength || sealed.getLength() > takenBytes()) {
            throw new TatamiException(
                    ErrorCode.MALFORMED,
                    block() + " of " + home.file() + " was sealed at " + sealed.getLength() + " bytes, of which "
                            + acknowledgedLength + " were acknowledged and " + takenBytes() + " written");
        }
        position = sealed.getLength();
        List<PendingFrame> rest = unsent;
        unsent = new ArrayList<>();
        return rest;
    }

    /** Gives up the bytes that are not acknowledged. Does nothing after {@link #finish}. */
    void close() {
        endStream();
        unsent.forEach(PendingFrame::release);
        unsent = new ArrayList<>();
    }

    private void endStream() {
        if (stream != null) {
            sharedBytes += stream.sharedBytes();
            stream.close();
            stream = null;
        }
    }

    /** A step on a stream; repeated on the next stream if it fails. */
    @FunctionalInterface
    private interface Step {
        void on(BlockWriteStream writing) throws TatamiException;
    }

    private void mending(Step step) throws TatamiException {
        Deadline deadline = home.deadline();
        Backoff backoff = home.backoff();
        while (!broken) {
            try {
                step.on(readyStream());
                return;
            } catch (TatamiException e) {
                takeFailure(e, deadline);
                backoff.pause(deadline);
                home.reconsiderServers(e);
                if (!broken) {
                    renew(e);
                }
            }
        }
    }

    private BlockWriteStream readyStream() throws TatamiException {
        BlockWriteStream writing = stream;
        if (writing == null) {
            writing = blocks.openWriter(home.targets(servers), spec);
            stream = writing;
            ready = false;
        }
        if (!ready) {
            if (!committedGeneration.equals(spec.generation())) {
                writing.awaitReady();
                home.commitGeneration(block(), spec.generation(), failedServers);
                committedGeneration = spec.generation();
                failedServers = Set.of();
            }
            List<PendingFrame> frames = unsent;
            unsent = new ArrayList<>();
            writing.resend(frames);
            ready = true;
        }
        return writing;
    }

    /** Throws {@code failure} if neither a new stream nor a new block can help. */
    private void takeFailure(TatamiException failure, Deadline deadline) throws TatamiException {
        boolean interrupted =
                failure.code() == ErrorCode.CANCELLED && Thread.currentThread().isInterrupted();
        // If the stream still works, the failure is the home's refusal, after all its own attempts.
        boolean isFromHome = stream != null && stream.failure() == null;
        if (interrupted || isFromHome || FINAL.contains(failure.code())) {
            throw failure;
        }
        takeBack();
        hasFailed = true;
        boolean mayGoOn = failures.add(servers.get(0), failedServer());
        if (!mayGoOn || deadline.isOver()) {
            throw new TatamiException(
                    failure.code(),
                    block() + " of " + home.file() + " cannot be written to " + servers + " after " + failures.count()
                            + " failures: " + failure.getMessage(),
                    failure);
        }
        broken = acknowledgedLength > 0;
        if (broken) {
            endStream();
        }
        LOG.info(
                "{} of {} {}: {}",
                block(),
                home.file(),
                broken ? "is sealed, and the file goes on in another block" : "goes on under a new generation",
                failure.toString());
    }

    private ServerId failedServer() {
        return stream == null ? servers.get(0) : stream.failedServer();
    }

    /** Takes the unacknowledged frames out of the failed stream. */
    private void takeBack() {
        BlockWriteStream failed = stream;
        if (failed == null) {
            return;
        }
        failures.acknowledged(failed.visibleLength() - acknowledgedLength);
        acknowledgedLength = failed.visibleLength();
        List<PendingFrame> frames = new ArrayList<>(failed.takeUnacknowledged());
        frames.addAll(unsent);
        unsent = frames;
    }

    /** Gets a new generation, on other servers where there are any. */
    private void renew(TatamiException failure) throws TatamiException {
        Grant grant = issue(failure);
        if (stream != null) {
            spec = stream.spec();
        }
        endStream();
        servers = ServerId.listOf(grant.getServerIdList());
        Generation issued = Generation.of(grant.getGeneration());
        spec = spec.continuedAt(issued, committedGeneration, acknowledgedLength, takenBytes());
    }

    /**
     * The end of the bytes taken from the writer, those of a write under way included; to be called without a stream.
     */
    private long takenBytes() {
        return unsent.isEmpty()
                ? acknowledgedLength
                : unsent.get(unsent.size() - 1).endOffset();
    }

    private Grant issue(TatamiException failure) throws TatamiException {
        Set<ServerId> without = new HashSet<>(failedServers);
        without.addAll(failures.avoided());
        try {
            Grant grant = home.renewBlock(block(), spec.generation(), without, acknowledgedLength == 0);
            failedServers = without;
            return grant;
        } catch (TatamiException e) {
            // If no other server can take the block, the failed connection may still recover.
            if (e.code() != ErrorCode.NO_SPACE || failure.code() == ErrorCode.NO_SPACE) {
                throw e;
            }
            failures.avoidNone();
            failedServers = Set.of();
            return home.renewBlock(block(), spec.generation(), failedServers, false);
        }
    }
}
