package io.tatami.rpc.netty.shared;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.util.concurrent.ScheduledFuture;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.FrameFormat;
import io.tatami.protocol.FrameKind;
import io.tatami.rpc.netty.frame.OutgoingFrame;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All that is written to one connection. Any thread offers entries; the event loop takes them in the order of their
 * arrival, encodes small frames one behind the other into shared buffers, and flushes once for all that it found.
 *
 * <p>The queue is bounded by those who offer: calls by the permits of their connection, replies by the requests in
 * flight, data by {@link WriteGate}.
 */
public final class Outbox implements Runnable {
    /** Something to be written; called on the event loop. */
    public interface Entry {
        /** Writes itself with {@link Outbox#write}. Not called once the connection is closed. */
        void write();

        /** Ends itself, because the connection is closed; may be called on any thread once the loop has ended. */
        void discard();
    }

    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

    private static final long MEMORY_WAIT_MILLIS = 20;
    private static final int BATCH_BYTES = 16 << 10;
    private static final int BATCHED_FRAME_BYTES_MAX = 4 << 10;

    private final Channel channel;
    private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final WriteGate gate;

    // Owned by the event loop.
    private int frameBytesMax = FrameFormat.FRAME_BYTES_MAX;
    private boolean reading;
    private boolean running;
    private boolean closed;
    private @Nullable ByteBuf batch;

    public Outbox(Channel channel, RpcSettings settings) {
        this.channel = channel;
        this.gate = new WriteGate(channel, settings.writeBufferBytes());
    }

    public WriteGate gate() {
        return gate;
    }

    /** Limits what is written from now on to what the peer says it takes. */
    public void limitFrames(int bytesMax) {
        frameBytesMax = Math.min(frameBytesMax, Math.max(bytesMax, FrameFormat.FRAME_BYTES_LEAST));
    }

    /** Queues an entry; from any thread. */
    public void offer(Entry entry) {
        entries.add(entry);
        if (!channel.eventLoop().inEventLoop() || !reading) {
            schedule();
        }
    }

    /** Entries offered on the loop from here on wait for {@link #endRead}. */
    public void beginRead() {
        reading = true;
    }

    public void endRead() {
        reading = false;
        run();
    }

    /**
     * Writes and flushes all that was offered; within itself it does nothing, as the outer run goes on until the end.
     */
    @Override
    public void run() {
        if (running) {
            return;
        }
        running = true;
        scheduled.set(false);
        Entry entry = entries.poll();
        while (entry != null) {
            take(entry);
            entry = entries.poll();
        }
        running = false;
        writeBatch();
        if (!closed) {
            channel.flush();
        }
        gate.wake();
    }

    private void take(Entry entry) {
        try {
            if (closed) {
                entry.discard();
            } else {
                entry.write();
            }
        } catch (RuntimeException e) {
            // A bug, ours or of a callback: the connection ends, and with it the entries behind.
            channel.pipeline().fireExceptionCaught(e);
        }
    }

    /** Discards what is queued and what still comes. */
    public void close() {
        closed = true;
        run();
        gate.close();
    }

    /** Writes a frame without a payload; on the event loop. */
    public void write(FrameKind kind, int callId, @Nullable Message header, @Nullable Message body)
            throws TatamiException {
        write(new OutgoingFrame(kind, callId, header, body, 0));
    }

    /**
     * Writes a short frame, now or as soon as there is memory for it; on the event loop. Bounded by the requests in
     * flight, as each has one such frame.
     */
    public void writeShort(FrameKind kind, int callId, @Nullable Message header, @Nullable Message body) {
        if (closed) {
            return;
        }
        try {
            write(kind, callId, header, body);
        } catch (TatamiException e) {
            Check.check(e.code() == ErrorCode.BUSY, "a frame of kind %s is always short: %s", kind, e);
            LOG.debug("a frame of kind {} waits for memory", kind, e);
            ScheduledFuture<?> unused = channel.eventLoop()
                    .schedule(
                            () -> {
                                writeShort(kind, callId, header, body);
                                run();
                            },
                            MEMORY_WAIT_MILLIS,
                            TimeUnit.MILLISECONDS);
        }
    }

    /** Writes a DATA frame; on the event loop. The payload's ownership passes, whatever happens. */
    void writeDataAndRelease(int callId, Message body, ByteBuf payload) throws TatamiException {
        try {
            write(new OutgoingFrame(FrameKind.DATA, callId, null, body, payload.readableBytes()));
        } catch (TatamiException e) {
            payload.release();
            throw e;
        }
        if (payload.isReadable()) {
            writeBatch();
            pass(payload);
        } else {
            payload.release();
        }
    }

    private void write(OutgoingFrame frame) throws TatamiException {
        frame.appendTo(batchWithRoom(frame.headBytes(frameBytesMax)));
    }

    private ByteBuf batchWithRoom(int bytes) throws TatamiException {
        if (batch != null && batch.writableBytes() < bytes) {
            writeBatch();
        }
        if (batch == null) {
            int capacity = bytes > BATCHED_FRAME_BYTES_MAX ? bytes : BATCH_BYTES;
            batch = ConnectionMemory.forSending(channel.alloc(), capacity, bytes, channel::flush);
        }
        return batch;
    }

    private void writeBatch() {
        if (batch != null) {
            pass(batch);
            batch = null;
        }
    }

    /** A failure reaches the pipeline's exceptionCaught, which closes the connection. */
    private void pass(ByteBuf buffer) {
        ChannelFuture unused = channel.write(buffer, channel.voidPromise());
    }

    private void schedule() {
        if (scheduled.getAndSet(true)) {
            return;
        }
        try {
            channel.eventLoop().execute(this);
        } catch (RejectedExecutionException e) {
            Check.check(channel.eventLoop().isShuttingDown(), "a running event loop refused work: %s", e);
            scheduled.set(false);
            discardAll();
        }
    }

    private void discardAll() {
        Entry entry = entries.poll();
        while (entry != null) {
            entry.discard();
            entry = entries.poll();
        }
    }
}
