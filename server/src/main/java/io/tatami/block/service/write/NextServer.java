package io.tatami.block.service.write;

import io.netty.buffer.ByteBuf;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteFrame;
import java.util.concurrent.TimeUnit;

/**
 * The next server of the chain: the requests to it, its acknowledgements, and the time of its last message. Used by the
 * session's worker.
 */
final class NextServer implements Downstream {
    private final ChainLink link;
    private Phase phase = Phase.OPENING;

    // Acknowledged from there to the tail.
    private long visibleBytes;
    private long durableBytes;
    private long flushedBytes;
    private long roomBytes = Long.MAX_VALUE;

    // Asked for.
    private long sentBytes;
    private long syncAskedBytes;
    private long flushAskedBytes;
    private boolean endAsked;

    /** Whether an empty frame was sent on that is not answered: any acknowledgement shows that the server is there. */
    private boolean signAsked;

    private long heardNanos;

    private enum Phase {
        OPENING,
        STREAMING,
        FINISHED
    }

    /** @param startBytes where the block begins, which all servers have */
    NextServer(ChainLink link, long startBytes, long nowNanos) {
        this.link = link;
        this.visibleBytes = startBytes;
        this.durableBytes = startBytes;
        this.flushedBytes = startBytes;
        this.sentBytes = startBytes;
        this.syncAskedBytes = startBytes;
        this.flushAskedBytes = startBytes;
        this.heardNanos = nowNanos;
    }

    /**
     * Sends a frame on, now or as soon as the server takes it.
     *
     * @param endBytes where in the block the frame ends
     * @param nowNanos when it came: a server that owed nothing before is waited for from then on
     * @throws TatamiException as {@link ChainLink#forwardAndRelease}
     */
    void forwardAndRelease(WriteFrame frame, ByteBuf payload, long endBytes, long nowNanos) throws TatamiException {
        if (!owes()) {
            heardNanos = nowNanos;
        }
        signAsked |= endBytes == sentBytes;
        sentBytes = endBytes;
        if (frame.getSync() || frame.getLast()) {
            flushAskedBytes = endBytes;
        }
        if (frame.getLast() || (frame.getSync() && !frame.getFlushOnly())) {
            syncAskedBytes = endBytes;
        }
        endAsked |= frame.getLast();
        link.forwardAndRelease(frame, payload);
    }

    /** Sends the waiting frames, as far as the server and the network take them. */
    void send() {
        link.send();
    }

    /** Takes note of an acknowledgement; false where it is a sign of life alone, from a chain that still opens. */
    boolean acknowledged(WriteAck ack, long nowNanos) {
        heardNanos = nowNanos;
        signAsked = false;
        link.acknowledged(ack);
        if (ack.getOpening()) {
            return false;
        }
        if (phase == Phase.OPENING) {
            phase = Phase.STREAMING;
        }
        visibleBytes = Math.max(visibleBytes, ack.getVisibleLength());
        durableBytes = Math.max(durableBytes, ack.getDurableLength());
        flushedBytes = Math.max(flushedBytes, Math.max(ack.getFlushedLength(), durableBytes));
        roomBytes = ack.getRoomBytes() == 0 ? roomBytes : Math.min(roomBytes, ack.getRoomBytes());
        return true;
    }

    /** The block is final there, with the bytes that are here. */
    void finished(long hereBytes) {
        visibleBytes = hereBytes;
        durableBytes = hereBytes;
        flushedBytes = hereBytes;
        phase = Phase.FINISHED;
    }

    /** Whether something that was asked for is not acknowledged. */
    boolean owes() {
        return phase == Phase.OPENING
                || visibleBytes < sentBytes
                || durableBytes < syncAskedBytes
                || flushedBytes < flushAskedBytes
                || signAsked
                || (endAsked && phase != Phase.FINISHED);
    }

    /** @throws TatamiException DEADLINE_EXCEEDED where nothing was heard for longer than {@code limitMillis} */
    void requireHeard(long nowNanos, long limitMillis) throws TatamiException {
        if (nowNanos - heardNanos > TimeUnit.MILLISECONDS.toNanos(limitMillis)) {
            throw link.silence();
        }
    }

    @Override
    public long visibleBytes(long hereBytes) {
        return Math.min(hereBytes, visibleBytes);
    }

    @Override
    public long durableBytes(long hereBytes) {
        return Math.min(hereBytes, durableBytes);
    }

    @Override
    public long flushedBytes(long hereBytes) {
        return Math.min(hereBytes, flushedBytes);
    }

    @Override
    public long roomBytes(long hereBytes) {
        return Math.min(hereBytes, roomBytes);
    }

    @Override
    public long passedOnBytes(long storedBytes) {
        return link.sentOffset();
    }

    @Override
    public boolean isReady() {
        return phase != Phase.OPENING;
    }

    @Override
    public boolean isFinished() {
        return phase == Phase.FINISHED;
    }

    @Override
    public void cancel(String reason) {
        link.cancel(reason);
    }
}
