package io.tatami.block.service.write;

import io.netty.buffer.ByteBuf;
import io.tatami.base.Check;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.RefusalSubject.ServerSubject;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockTarget;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.BlockPayload;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.RpcStream;
import io.tatami.rpc.StreamListener;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/**
 * The stream of a write session to the server behind it in the chain, and the frames that this server does not take
 * yet: they count in the window of the session, which bounds them. Never waits for the network or that server. Used by
 * the session's worker, on which the owner also hears what comes back.
 */
final class ChainLink {
    private final BlockTarget next;
    private final RpcStream<WriteFrame> stream;
    private final long timeoutMillis;
    private final Executor worker;
    private final Owner owner;

    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private long sequence;
    private long sent;
    private long acknowledged;
    private long limit;
    private boolean awaitingNetwork;

    /** @param payload a reference of it is owned; what is left of it is what was not sent */
    private record Waiting(WriteFrame frame, ByteBuf payload) {}

    /** Hears what comes from behind; all on the session's worker. */
    interface Owner {
        void onChainAck(WriteAck ack);

        void onChainFinished(WriteBlockReply reply);

        /** @param failure its subject is the server that failed */
        void onChainFailed(TatamiException failure);

        /** The network takes more: to be answered by {@link ChainLink#send}. */
        void onChainWritable();
    }

    private ChainLink(
            BlockTarget next,
            RpcStream<WriteFrame> stream,
            long startOffset,
            long timeoutMillis,
            Executor worker,
            Owner owner) {
        this.next = next;
        this.stream = stream;
        this.timeoutMillis = timeoutMillis;
        this.worker = worker;
        this.owner = owner;
        this.sent = startOffset;
        this.acknowledged = startOffset;
        this.limit = startOffset + BlockPayload.OPENING_BYTES;
    }

    /**
     * Opens the stream that {@code request} asks to be forwarded. Waits for the connection, for a part of what the
     * server before this one has patience for.
     *
     * @throws TatamiException when the next server cannot be reached; its subject is that server
     */
    static ChainLink open(
            BlockClient client, WriteBlockRequest request, long timeoutMillis, Executor worker, Owner owner)
            throws TatamiException {
        Check.check(request.getTargetCount() > 0, "nothing behind the tail");
        BlockTarget next = BlockTarget.of(request.getTarget(0));
        WriteBlockRequest forwarded = request.toBuilder()
                .removeTarget(0)
                .clearSharedMemory()
                .setWindowed(true)
                .build();
        try {
            RpcStream<WriteFrame> stream = client.bulkConnection(next)
                    .openStream(
                            BlockMethods.WRITE_BLOCK,
                            CallOptions.DEFAULT.withTimeoutMillis(0),
                            forwarded,
                            new Relay(next, worker, owner));
            return new ChainLink(next, stream, request.getStartOffset(), timeoutMillis, worker, owner);
        } catch (TatamiException e) {
            throw blamed(next, e);
        }
    }

    /**
     * Sends a frame on, now or as soon as the server behind takes it.
     *
     * @throws TatamiException MALFORMED where more frames wait than a sane writer makes
     */
    void forwardAndRelease(WriteFrame frame, ByteBuf payload) throws TatamiException {
        waiting.add(new Waiting(frame, payload));
        if (waiting.size() > ReceiveWindow.FRAMES_MAX) {
            throw new TatamiException(ErrorCode.MALFORMED, waiting.size() + " frames are queued for " + next);
        }
        send();
    }

    /** Up to where the bytes are out of this server's hands. */
    long sentOffset() {
        return sent;
    }

    void acknowledged(WriteAck ack) {
        acknowledged = Math.max(acknowledged, ack.getVisibleLength());
        limit = ack.getSendLimit() == 0 ? acknowledged + BlockPayload.WINDOW_BYTES_UNTOLD : ack.getSendLimit();
        send();
    }

    /** Sends what waits, as far as the server behind and the network take it. */
    void send() {
        while (!waiting.isEmpty()) {
            if (!stream.isWritable()) {
                awaitNetwork();
                return;
            }
            Waiting first = waiting.element();
            int length = first.payload().readableBytes();
            if (length == 0 || sent + length <= limit) {
                waiting.remove();
                send(first.frame(), first.payload());
            } else if (sent > acknowledged || !sendPart(first)) {
                // More room comes with the next acknowledgement.
                return;
            }
        }
    }

    private void send(WriteFrame frame, ByteBuf payload) {
        sent += payload.readableBytes();
        stream.sendAndRelease(frame.toBuilder().setSequence(++sequence).build(), payload);
    }

    /** Whole chunks of a frame, whose checksums stay; false where there is no room for that. */
    private boolean sendPart(Waiting first) {
        long end = limit / ChunkChecksum.CHUNK_BYTES * ChunkChecksum.CHUNK_BYTES;
        if (end <= sent) {
            return false;
        }
        WriteFrame whole = first.frame();
        int bytes = (int) (end - sent);
        int pieces = ChunkChecksum.pieces(sent, bytes);
        WriteFrame.Builder part = WriteFrame.newBuilder().setOffset(sent);
        WriteFrame.Builder rest = whole.toBuilder().clearChecksum().setOffset(end);
        for (int piece = 0; piece < whole.getChecksumCount(); piece++) {
            (piece < pieces ? part : rest).addChecksum(whole.getChecksum(piece));
        }
        waiting.remove();
        waiting.addFirst(new Waiting(rest.build(), first.payload()));
        send(part.build(), first.payload().readRetainedSlice(bytes));
        return true;
    }

    private void awaitNetwork() {
        if (!awaitingNetwork) {
            awaitingNetwork = true;
            stream.whenWritable(() -> worker.execute(() -> {
                awaitingNetwork = false;
                owner.onChainWritable();
            }));
        }
    }

    /** The failure for a server behind that has been silent for too long. */
    TatamiException silence() {
        return blamed(
                next,
                new TatamiException(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "the next block server acknowledged nothing for " + timeoutMillis + " ms"));
    }

    void cancel(String reason) {
        waiting.forEach(frame -> frame.payload().release());
        waiting.clear();
        stream.cancel(reason);
    }

    private static TatamiException blamed(BlockTarget server, TatamiException e) {
        String message = server + ": " + e.getMessage();
        return e.subject() instanceof ServerSubject
                ? e.retold(message)
                : e.retold(message, new ServerSubject(server.server()));
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
