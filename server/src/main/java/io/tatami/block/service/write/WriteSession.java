package io.tatami.block.service.write;

import io.netty.buffer.ByteBuf;
import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.memory.WrittenMemory;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;
import io.tatami.rpc.ServerStream;
import io.tatami.rpc.StreamReceiver;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One write stream: verifies and stores frames, forwards them to the next server of the chain, and acknowledges to the
 * writer the bytes that all servers from here to the tail have.
 *
 * <p>Every event, from the writer, from the next server and from this server, is one {@linkplain WriteSteps step} on
 * the session's worker, which owns the session's state. Only the window is counted on the event loop, too. Time comes
 * from {@link ServerContext}; threads and connections come from {@link WriteStreams}.
 */
final class WriteSession implements StreamReceiver<WriteFrame>, ChainLink.Owner {
    private final BlockId block;
    private final Generation generation;
    private final Executor worker;
    private final ReceiveWindow window;
    private final WriteSteps steps;

    /** Until it is given back; the event loop's. */
    private @Nullable WrittenMemory memory;

    /**
     * @param memory the memory in which the bytes of frames may lie; null if the writer shares none
     * @param worker runs one task at a time, in the order in which they came
     */
    WriteSession(
            WriteBlockRequest request,
            @Nullable WrittenMemory memory,
            ServerStream<WriteAck, WriteBlockReply> stream,
            ServerContext context,
            WriteStreams streams,
            Executor worker) {
        this.block = new BlockId(request.getBlockId());
        this.generation = Generation.of(request.getGeneration());
        this.memory = memory;
        this.worker = worker;
        this.window = new ReceiveWindow(request, memory != null && request.getTargetCount() == 0);
        this.steps = new WriteSteps(this, request, stream, context, streams, window);
    }

    BlockId block() {
        return block;
    }

    Generation generation() {
        return generation;
    }

    /** Begins the session; called once, before any message is delivered. */
    void start() {
        worker.execute(() -> guarded(() -> steps.open(worker)));
    }

    @Override
    public void onMessage(WriteFrame frame, ByteBuf payload) {
        if (frame.getMemoryReturned()) {
            memory = null;
        }
        ArrivedFrame arrived = new ArrivedFrame(frame, payload, memory);
        int bytes = arrived.windowBytes();
        if (!window.admits(bytes)) {
            payload.release();
            window.done(bytes);
            stop(new TatamiException(
                    ErrorCode.MALFORMED, "the writer of " + block + " sent more than its window of bytes or frames"));
            return;
        }
        worker.execute(() -> {
            if (steps.isEnded()) {
                steps.releaseArrived(arrived);
            } else {
                guarded(() -> steps.arrive(arrived));
            }
        });
    }

    @Override
    public void onCancelled(TatamiException reason) {
        stop(reason);
    }

    /** Ends the session because another writer or a recovery has taken the block over. May be called by any thread. */
    void fence(String reason) {
        stop(new TatamiException(ErrorCode.FENCED, block + ": " + reason));
    }

    /** Ends the session; the block keeps the bytes it has. May be called by any thread. */
    void stop(TatamiException reason) {
        worker.execute(() -> steps.end(reason));
    }

    /**
     * Checks for progress. Without progress the session gives its buffer back; it ends if the writer, or the next
     * server, has been silent for too long.
     *
     * @return whether the session is at rest, so that there is nothing to check
     */
    boolean checkStandstill(long nowNanos) {
        if (steps.isResting(nowNanos)) {
            return true;
        }
        worker.execute(() -> guarded(steps::lookAtStandstill));
        return false;
    }

    @Override
    public void onChainAck(WriteAck ack) {
        guarded(() -> steps.chainAcknowledged(ack));
    }

    @Override
    public void onChainWritable() {
        guarded(steps::chainIsWritable);
    }

    @Override
    public void onChainFinished(WriteBlockReply reply) {
        guarded(() -> steps.chainFinished(reply));
    }

    @Override
    public void onChainFailed(TatamiException failure) {
        steps.end(failure);
    }

    private interface Step {
        void run() throws TatamiException;
    }

    /** Runs a step unless the session has ended; a failure of the step ends the session. */
    private void guarded(Step step) {
        if (steps.isEnded()) {
            return;
        }
        try {
            step.run();
        } catch (TatamiException e) {
            steps.end(e);
        } catch (RuntimeException e) {
            steps.end(new TatamiException(ErrorCode.INTERNAL, "writing " + block + ": " + e, e));
        }
    }
}
