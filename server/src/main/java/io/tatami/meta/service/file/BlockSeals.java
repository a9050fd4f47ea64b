package io.tatami.meta.service.file;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.op.write.BeginSeal;
import io.tatami.meta.op.write.FinishSeal;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.file.BlockRecovery.Held;
import io.tatami.meta.service.file.BlockRecovery.Outcome;
import io.tatami.meta.service.file.BlockRecovery.Waiting;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.FinishSealRequest;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.SealBlockReply;
import io.tatami.protocol.wire.SealBlockRequest;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Seals blocks for writers that live: begins an attempt, asks the block servers, and commits what they hold. An attempt
 * that does not end, as the leader changes or a server is away, is followed by another when the writer asks again. Safe
 * for use by many threads; a block has one attempt at a time.
 */
final class BlockSeals {
    private final Group<ShardState> group;
    private final BlockRecovery blocks;
    private final BeginSeal begin = new BeginSeal();
    private final FinishSeal finish = new FinishSeal();
    private final Set<BlockId> sealing = ConcurrentHashMap.newKeySet();

    BlockSeals(Group<ShardState> group, BlockRecovery blocks) {
        this.group = group;
        this.blocks = blocks;
    }

    CompletableFuture<SealBlockReply> seal(RequestOrigin origin, SealBlockRequest request) {
        BlockId block = new BlockId(request.getBlockId());
        if (!sealing.add(block)) {
            return CompletableFuture.failedFuture(
                    new TatamiException(ErrorCode.BUSY, block + " is being sealed; ask again"));
        }
        return attempt(origin, request).whenComplete((reply, failure) -> sealing.remove(block));
    }

    private CompletableFuture<SealBlockReply> attempt(RequestOrigin origin, SealBlockRequest request) {
        return group.submit(begin, origin, request).thenCompose(begun -> {
            CrashPoint.hit("meta.seal.after-begin");
            if (begun.hasSealed()) {
                return CompletableFuture.completedFuture(begun.getSealed());
            }
            return blocks.recover(begun.getBlock(), ServerId.listOf(request.getFailedServerIdList()))
                    .thenCompose(outcome -> {
                        CrashPoint.hit("meta.seal.after-block");
                        return commit(origin, request, outcome);
                    });
        });
    }

    private CompletableFuture<SealBlockReply> commit(RequestOrigin origin, SealBlockRequest request, Outcome outcome) {
        BlockId block = new BlockId(request.getBlockId());
        if (outcome instanceof Held held) {
            FinishSealRequest found = FinishSealRequest.newBuilder()
                    .setFileId(request.getFileId())
                    .setRecoveryId(request.getRecoveryId())
                    .setBlock(held.block())
                    .build();
            return group.submitOnce(MetaMethods.SEAL_BLOCK, finish, origin, found);
        }
        String why = outcome instanceof Waiting waiting ? waiting.why() : "no server has a byte of " + block;
        return CompletableFuture.failedFuture(
                new TatamiException(ErrorCode.UNAVAILABLE, block + " cannot be sealed yet: " + why));
    }
}
