package io.tatami.meta.service.sim;

import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.AuditReply;
import io.tatami.protocol.wire.DeleteBlocksReply;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import io.tatami.protocol.wire.FenceBlockReply;
import io.tatami.protocol.wire.FenceBlockRequest;
import io.tatami.protocol.wire.FinalizeBlockReply;
import io.tatami.protocol.wire.FinalizeBlockRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * What shards ask of block servers: how long blocks are, to cut them, and to delete them. All servers hold the same.
 */
final class SimBlockServers {
    static final int[] IDS = {1, 2};

    private final SimWorld world;
    private final Faults faults;
    private final Map<Long, Long> lengths = new HashMap<>();

    /** Of blocks that a recovery has finalized. */
    private final Map<Long, Long> generations = new HashMap<>();

    private final Map<Long, Long> promised = new HashMap<>();

    SimBlockServers(SimWorld world, Faults faults) {
        this.world = world;
        this.faults = faults;
    }

    /** A writer has put so much into a block. */
    void write(long block, long length) {
        lengths.put(block, length);
        generations.remove(block);
    }

    static boolean isBug(Throwable thrown) {
        return !(Causes.unwrapped(thrown) instanceof TatamiException);
    }

    <R extends Message> void answer(Method<?, R> method, Message body, CompletableFuture<R> reply) {
        if (faults.silencesBlockServer()) {
            reply.completeExceptionally(new TatamiException(ErrorCode.UNAVAILABLE, "a block server is silent"));
            return;
        }
        try {
            reply.complete(method.replyParser().parseFrom(answer(method, body).toByteString()));
        } catch (TatamiException e) {
            reply.completeExceptionally(e);
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            world.bug(e);
        }
    }

    private Message answer(Method<?, ?> method, Message body) throws TatamiException {
        if (body instanceof DeleteBlocksRequest request) {
            DeleteBlocksReply.Builder gone = DeleteBlocksReply.newBuilder();
            request.getItemList().forEach(item -> gone.addDeletedBlockId(item.getBlockId()));
            return gone.build();
        }
        if (body instanceof FenceBlockRequest request) {
            return fence(request);
        }
        if (body instanceof FinalizeBlockRequest request) {
            return finalizeAt(request);
        }
        if (method.number() == BlockMethods.AUDIT.number()) {
            return AuditReply.getDefaultInstance();
        }
        throw new IllegalStateException("block servers are not asked " + method);
    }

    private FenceBlockReply fence(FenceBlockRequest request) throws TatamiException {
        promise(request.getBlockId(), request.getGeneration());
        Long length = lengths.get(request.getBlockId());
        if (length == null) {
            return FenceBlockReply.newBuilder().setAbsent(true).build();
        }
        Long generation = generations.get(request.getBlockId());
        return FenceBlockReply.newBuilder()
                .setGeneration(generation == null ? request.getGeneration() - 1 : generation)
                .setHeldLength(length)
                .setDurableLength(length)
                .setFinalized(generation != null)
                .setAssured(true)
                .build();
    }

    private FinalizeBlockReply finalizeAt(FinalizeBlockRequest request) throws TatamiException {
        promise(request.getBlockId(), request.getGeneration());
        Long length = lengths.get(request.getBlockId());
        if (length == null || length < request.getLength()) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "block " + request.getBlockId() + " has " + length);
        }
        lengths.put(request.getBlockId(), request.getLength());
        generations.put(request.getBlockId(), request.getGeneration());
        return FinalizeBlockReply.getDefaultInstance();
    }

    private void promise(long block, long generation) throws TatamiException {
        if (promised.getOrDefault(block, 0L) > generation) {
            throw new TatamiException(ErrorCode.FENCED, "block " + block + " promised " + promised.get(block));
        }
        promised.put(block, generation);
    }
}
