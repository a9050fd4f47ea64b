package io.tatami.meta.service.file;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.NoPeers;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.FenceBlockReply;
import io.tatami.protocol.wire.FenceBlockRequest;
import io.tatami.protocol.wire.FinalizeBlockReply;
import io.tatami.protocol.wire.FinalizeBlockRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Block servers that know of each block only the numbers and lengths of their copy, and answer at once, not at all, or
 * when they are told to.
 */
final class FakeBlockServers implements NoPeers {
    final Set<ServerId> silent = new HashSet<>();

    /** Servers whose fences succeed and whose finalizations do not. */
    final Set<ServerId> failFinalize = new HashSet<>();

    /** Servers that answer only once {@link #answerSlow} is called. */
    final Set<ServerId> slow = new HashSet<>();

    /** Servers that were given up for good. */
    final Set<ServerId> gone = new HashSet<>();

    private final List<Runnable> waiting = new ArrayList<>();
    private final Map<ServerId, Map<Long, Copy>> copies = new HashMap<>();
    private final Map<ServerId, Map<Long, Long>> promised = new HashMap<>();

    /** A copy of a block. */
    record Copy(
            int number, long generation, long heldBytes, long durableBytes, boolean finalized, boolean mayLackFlushed) {
        /** One that is being written, and is all durable. */
        Copy(long generation, long lengthBytes) {
            this(generation, lengthBytes, false);
        }

        Copy(long generation, long lengthBytes, boolean mayLackFlushed) {
            this(0, generation, lengthBytes, lengthBytes, false, mayLackFlushed);
        }

        static Copy finalized(long generation, long lengthBytes) {
            return new Copy(0, generation, lengthBytes, lengthBytes, true, false);
        }
    }

    void put(int server, long block, Copy copy) {
        copies.computeIfAbsent(new ServerId(server), absent -> new HashMap<>()).put(block, copy);
    }

    Copy copy(int server, long block) {
        Copy copy = copies.getOrDefault(new ServerId(server), Map.of()).get(block);
        if (copy == null) {
            throw new AssertionError("server " + server + " has no block " + block);
        }
        return copy;
    }

    void answerSlow() {
        List<Runnable> now = List.copyOf(waiting);
        waiting.clear();
        now.forEach(Runnable::run);
    }

    @Override
    public ClusterMap map() {
        ClusterMap.Builder map = ClusterMap.newBuilder();
        gone.forEach(server -> map.addBlockServer(
                BlockServerInfo.newBuilder().setServerId(server.value()).setState(BlockServerInfo.State.GONE)));
        return map.build();
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> callBlockServer(
            ServerId to, Method<Q, R> method, Q body) {
        CompletableFuture<R> reply = new CompletableFuture<>();
        Runnable answering = () -> {
            try {
                reply.complete(
                        method.replyParser().parseFrom(answer(to, method, body).toByteString()));
            } catch (TatamiException e) {
                reply.completeExceptionally(e);
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalStateException(e);
            }
        };
        if (slow.contains(to)) {
            waiting.add(answering);
        } else {
            answering.run();
        }
        return reply;
    }

    private Message answer(ServerId server, Method<?, ?> method, Message body)
            throws TatamiException, InvalidProtocolBufferException {
        if (silent.contains(server) || gone.contains(server)) {
            throw new TatamiException(ErrorCode.UNAVAILABLE, server + " is silent");
        }
        if (method.number() == BlockMethods.FENCE_BLOCK.number()) {
            return fence(server, FenceBlockRequest.parseFrom(body.toByteString()));
        }
        if (method.number() == BlockMethods.FINALIZE_BLOCK.number()) {
            return finalizeAt(server, FinalizeBlockRequest.parseFrom(body.toByteString()));
        }
        throw new IllegalStateException("servers are asked " + method);
    }

    private void promise(ServerId server, long block, long generation) throws TatamiException {
        Map<Long, Long> of = promised.computeIfAbsent(server, absent -> new HashMap<>());
        if (of.getOrDefault(block, 0L) > generation) {
            throw new TatamiException(ErrorCode.FENCED, "promised generation " + of.get(block));
        }
        of.put(block, generation);
    }

    private FenceBlockReply fence(ServerId server, FenceBlockRequest request) throws TatamiException {
        promise(server, request.getBlockId(), request.getGeneration());
        Copy copy = copies.getOrDefault(server, Map.of()).get(request.getBlockId());
        return copy == null
                ? FenceBlockReply.newBuilder().setAbsent(true).build()
                : FenceBlockReply.newBuilder()
                        .setGeneration(copy.generation())
                        .setHeldLength(copy.heldBytes())
                        .setDurableLength(copy.durableBytes())
                        .setFinalized(copy.finalized())
                        .setAssured(!copy.mayLackFlushed())
                        .setCopyNumber(copy.number())
                        .build();
    }

    private FinalizeBlockReply finalizeAt(ServerId server, FinalizeBlockRequest request) throws TatamiException {
        promise(server, request.getBlockId(), request.getGeneration());
        if (failFinalize.contains(server)) {
            throw new TatamiException(ErrorCode.IO_ERROR, server + " has a broken volume");
        }
        Copy copy = copy(server.value(), request.getBlockId());
        boolean isDone = copy.finalized() && copy.generation() == request.getGeneration();
        if (copy.heldBytes() < request.getLength() || (isDone && copy.heldBytes() != request.getLength())) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, server + " has " + copy);
        }
        put(
                server.value(),
                request.getBlockId(),
                new Copy(
                        copy.number(), request.getGeneration(), request.getLength(), request.getLength(), true, false));
        return FinalizeBlockReply.getDefaultInstance();
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> call(
            GroupId to, Method<Q, R> method, Q body, long timeoutMillis) {
        return CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNAVAILABLE, "there is no " + to));
    }
}
