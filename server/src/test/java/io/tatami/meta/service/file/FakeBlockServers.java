package io.tatami.meta.service.file;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.NoPeers;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.RecoverBlockReply;
import io.tatami.protocol.wire.RecoverBlockRequest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Block servers that know of each block only its length and generation, and answer at once or not at all. */
final class FakeBlockServers implements NoPeers {
    final Set<ServerId> silent = new HashSet<>();
    private final Map<ServerId, Map<Long, Copy>> copies = new HashMap<>();

    /** A copy of a block. */
    record Copy(long generation, long lengthBytes, boolean mayLackFlushed) {
        Copy(long generation, long lengthBytes) {
            this(generation, lengthBytes, false);
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

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> callBlockServer(
            ServerId to, Method<Q, R> method, Q body) {
        Check.check(method.number() == BlockMethods.RECOVER_BLOCK.number(), "servers are asked %s", method);
        try {
            RecoverBlockRequest request = RecoverBlockRequest.parseFrom(body.toByteString());
            return CompletableFuture.completedFuture(
                    method.replyParser().parseFrom(recover(to, request).toByteString()));
        } catch (TatamiException e) {
            return CompletableFuture.failedFuture(e);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private RecoverBlockReply recover(ServerId server, RecoverBlockRequest request) throws TatamiException {
        if (silent.contains(server)) {
            throw new TatamiException(ErrorCode.UNAVAILABLE, server + " is silent");
        }
        Copy copy = copies.getOrDefault(server, Map.of()).get(request.getBlockId());
        if (copy == null) {
            throw new TatamiException(ErrorCode.NO_SUCH_BLOCK, "not here");
        }
        boolean usable = copy.generation() >= request.getCommittedGeneration()
                && copy.generation() <= request.getNewGeneration();
        if (!usable) {
            throw new TatamiException(ErrorCode.FENCED, "generation " + copy.generation());
        }
        long length = request.hasLength() ? request.getLength() : copy.lengthBytes();
        boolean isLeft = copy.mayLackFlushed() && request.getLeaveLacking() && !request.hasLength();
        put(server.value(), request.getBlockId(), new Copy(request.getNewGeneration(), length, isLeft));
        return RecoverBlockReply.newBuilder()
                .setLength(length)
                .setMayLackFlushed(isLeft)
                .build();
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> call(
            GroupId to, Method<Q, R> method, Q body, long timeoutMillis) {
        return CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNAVAILABLE, "there is no " + to));
    }
}
