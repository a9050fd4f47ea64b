package io.tatami.rpc.netty.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;

/**
 * Notices that a peer takes nothing of what is written to it: until it does, the bytes stay in buffers that others
 * need. Looks at the connection now and then. Owned by the event loop.
 */
final class StallWatch {
    private final Channel channel;
    private boolean waiting;
    private int firstWaiting;
    private long firstTakenBytes;
    private long waitingBytes;
    private long movedNanos;

    StallWatch(Channel channel) {
        this.channel = channel;
    }

    /** Whether something waits to be taken, and nothing was taken since a look at least {@code limitNanos} ago. */
    boolean isStalled(long nowNanos, long limitNanos) {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        boolean waits = out != null && !out.isEmpty();
        int first = waits ? System.identityHashCode(out.current()) : 0;
        long taken = waits ? out.currentProgress() : 0;
        boolean moved = !waiting || first != firstWaiting || taken != firstTakenBytes || waitingBytes() < waitingBytes;
        if (!waits || moved) {
            movedNanos = nowNanos;
        }
        waiting = waits;
        firstWaiting = first;
        firstTakenBytes = taken;
        waitingBytes = waitingBytes();
        return waits && nowNanos - movedNanos >= limitNanos;
    }

    /** Written and not yet taken. */
    long waitingBytes() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        return out == null ? 0 : out.totalPendingWriteBytes();
    }
}
