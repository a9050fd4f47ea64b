package io.tatami.rpc.netty.shared;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.FrameFormat;
import io.tatami.rpc.MessageSender;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What both sides of a stream share: sending with back-pressure. */
public abstract class StreamEnd<M extends Message> implements MessageSender<M> {
    private final ChannelContext link;

    /** Gives each who asks an error of its own; most streams end well, and nobody asks. */
    private final AtomicReference<@Nullable Supplier<TatamiException>> end = new AtomicReference<>();

    public StreamEnd(ChannelContext link) {
        this.link = link;
    }

    /** Brings a message to the wire, on the event loop, while the stream has not ended. */
    public abstract void writeData(Data data);

    /** A message on its way. */
    public final class Data implements Outbox.Entry {
        private final M message;
        private final ByteBuf payload;
        private final int bytes;
        private final boolean mayBeDropped;

        private Data(M message, ByteBuf payload, int bytes, boolean mayBeDropped) {
            this.message = message;
            this.payload = payload;
            this.bytes = bytes;
            this.mayBeDropped = mayBeDropped;
        }

        @Override
        public void write() {
            if (end.get() == null) {
                writeData(this);
            } else {
                discard();
            }
        }

        @Override
        public void discard() {
            link.outbox().gate().taken(bytes);
            payload.release();
        }

        /**
         * Writes it as a DATA frame. Fails the stream if the peer does not take frames of this size or there is no
         * memory, unless the message may be dropped.
         */
        public void writeAs(int callId) {
            link.outbox().gate().taken(bytes);
            try {
                link.outbox().writeDataAndRelease(callId, message, payload);
            } catch (TatamiException e) {
                if (!mayBeDropped) {
                    tooLong(e);
                }
            }
        }
    }

    /** A message was longer than the peer takes. */
    public abstract void tooLong(TatamiException failure);

    @Override
    public final void sendAndRelease(M message, ByteBuf payload) {
        queue(message, payload, false);
    }

    private void queue(M message, ByteBuf payload, boolean mayBeDropped) {
        long bytes = (long) FrameFormat.PREFIX_BYTES + message.getSerializedSize() + payload.readableBytes();
        boolean accepted = false;
        try {
            Check.check(bytes <= FrameFormat.FRAME_BYTES_MAX, "a message of %d bytes does not fit into a frame", bytes);
            if (end.get() == null) {
                link.outbox().gate().queued(bytes);
                accepted = true;
            }
        } finally {
            if (!accepted) {
                payload.release();
            }
        }
        if (accepted) {
            link.outbox().offer(new Data(message, payload, (int) bytes, mayBeDropped));
        }
    }

    @Override
    public final void send(M message) {
        sendAndRelease(message, Unpooled.EMPTY_BUFFER);
    }

    @Override
    public final void sendOrDrop(M message) {
        queue(message, Unpooled.EMPTY_BUFFER, true);
    }

    @Override
    public final boolean isWritable() {
        return link.outbox().gate().isWritable();
    }

    @Override
    public final void whenWritable(Runnable callback) {
        if (end.get() == null) {
            link.outbox().gate().whenWritable(callback);
        } else {
            callback.run();
        }
    }

    @Override
    public final void awaitWritable(long timeoutMillis) throws TatamiException {
        Check.check(!link.channel().eventLoop().inEventLoop(), "an event loop must not wait for itself");
        long giveUpNanos = link.clock().monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        while (true) {
            Supplier<TatamiException> reason = end.get();
            if (reason != null) {
                throw reason.get();
            }
            if (isWritable()) {
                return;
            }
            CountDownLatch woken = new CountDownLatch(1);
            whenWritable(woken::countDown);
            try {
                if (!woken.await(giveUpNanos - link.clock().monotonicNanos(), TimeUnit.NANOSECONDS)) {
                    throw new TatamiException(
                            ErrorCode.DEADLINE_EXCEEDED, "the peer accepted no data for " + timeoutMillis + " ms");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TatamiException(ErrorCode.CANCELLED, "interrupted while waiting for the peer", e);
            }
        }
    }

    /**
     * Lets go of whoever waits; on the event loop. What was queued before is still written if it was offered.
     *
     * @param reason makes the error for whoever would still wait
     */
    public final void end(Supplier<TatamiException> reason) {
        if (end.compareAndSet(null, reason)) {
            link.outbox().gate().wakeAll();
        }
    }
}
