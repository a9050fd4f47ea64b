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
import io.tatami.protocol.wire.RecoverBlockReply;
import io.tatami.protocol.wire.RecoverBlockRequest;
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

    SimBlockServers(SimWorld world, Faults faults) {
        this.world = world;
        this.faults = faults;
    }

    /** A writer has put so much into a block. */
    void write(long block, long length) {
        lengths.put(block, length);
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
        if (body instanceof RecoverBlockRequest request) {
            Long length = lengths.get(request.getBlockId());
            if (length == null) {
                throw new TatamiException(ErrorCode.NO_SUCH_BLOCK, "block " + request.getBlockId());
            }
            if (request.hasLength()) {
                length = Math.min(length, request.getLength());
                lengths.put(request.getBlockId(), length);
            }
            return RecoverBlockReply.newBuilder().setLength(length).build();
        }
        if (method.number() == BlockMethods.AUDIT.number()) {
            return AuditReply.getDefaultInstance();
        }
        throw new IllegalStateException("block servers are not asked " + method);
    }
}
