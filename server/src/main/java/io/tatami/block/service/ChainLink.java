package io.tatami.block.service;

import io.netty.buffer.ByteBuf;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockTarget;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.RpcStream;
import io.tatami.rpc.StreamListener;
import java.util.concurrent.Executor;

/**
 * The stream of a write session to the server behind it in the chain. Used by the session's worker, on which the owner
 * also hears what comes back.
 */
final class ChainLink {
    private final BlockTarget next;
    private final RpcStream<WriteFrame> stream;
    private final long timeoutMillis;

    /** Hears what comes from behind; all on the session's worker. */
    interface Owner {
        void onChainAck(WriteAck ack);

        void onChainFinished(WriteBlockReply reply);

        /** @param failure its detail names the server that failed */
        void onChainFailed(TatamiException failure);
    }

    private ChainLink(BlockTarget next, RpcStream<WriteFrame> stream, long timeoutMillis) {
        this.next = next;
        this.stream = stream;
        this.timeoutMillis = timeoutMillis;
    }

    /**
     * Opens the stream that {@code request} asks to be forwarded. Waits for the connection.
     *
     * @throws TatamiException when the next server cannot be reached; its detail names that server
     */
    static ChainLink open(
            BlockClient client, WriteBlockRequest request, long timeoutMillis, Executor worker, Owner owner)
            throws TatamiException {
        Check.check(request.getTargetCount() > 0, "nothing behind the tail");
        BlockTarget next = BlockTarget.of(request.getTarget(0));
        WriteBlockRequest forwarded =
                request.toBuilder().removeTarget(0).clearSharedMemory().build();
        try {
            RpcStream<WriteFrame> stream = client.bulkConnection(next)
                    .openStream(
                            BlockMethods.WRITE_BLOCK,
                            CallOptions.DEFAULT.withTimeoutMillis(0),
                            forwarded,
                            new Relay(next, worker, owner));
            return new ChainLink(next, stream, timeoutMillis);
        } catch (TatamiException e) {
            throw blamed(next, e);
        }
    }

    /** Sends a frame on; waits while the network takes no more. */
    void forwardAndRelease(WriteFrame frame, ByteBuf payload) throws TatamiException {
        try {
            if (!stream.isWritable()) {
                stream.awaitWritable(timeoutMillis);
            }
        } catch (TatamiException e) {
            payload.release();
            throw blamed(next, e);
        }
        stream.sendAndRelease(frame, payload);
    }

    /** The failure for a server behind that has been silent for too long. */
    TatamiException silence() {
        return blamed(
                next,
                new TatamiException(ErrorCode.DEADLINE_EXCEEDED, "nothing acknowledged in " + timeoutMillis + " ms"));
    }

    void cancel(String reason) {
        stream.cancel(reason);
    }

    private static ChainFailure blamed(BlockTarget server, TatamiException e) {
        String detail = e.detail().isEmpty() ? Integer.toString(server.server().value()) : e.detail();
        return new ChainFailure(e.code(), server + ": " + e.getMessage(), detail, e);
    }

    /** Carries events from the event loop to the worker. */
    private record Relay(BlockTarget next, Executor worker, Owner owner)
            implements StreamListener<WriteAck, WriteBlockReply> {
        @Override
        public void onMessage(WriteAck ack, ByteBuf payload) {
            payload.release();
            worker.execute(() -> owner.onChainAck(ack));
        }

        @Override
        public void onFinished(WriteBlockReply reply) {
            worker.execute(() -> owner.onChainFinished(reply));
        }

        @Override
        public void onFailed(TatamiException failure) {
            worker.execute(() -> owner.onChainFailed(blamed(next, failure)));
        }
    }
}
