package io.tatami.meta.service.file;

import io.tatami.base.BlockId;
import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.file.SealLength.Absent;
import io.tatami.meta.service.file.SealLength.Answer;
import io.tatami.meta.service.file.SealLength.Bounds;
import io.tatami.meta.service.file.SealLength.Length;
import io.tatami.meta.service.file.SealLength.Present;
import io.tatami.meta.service.file.SealLength.Silent;
import io.tatami.meta.service.file.SealLength.Verdict;
import io.tatami.meta.service.file.SealLength.Wait;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.wire.RecoveredBlock;
import io.tatami.meta.state.wire.RecoveringBlock;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.FenceBlockReply;
import io.tatami.protocol.wire.FenceBlockRequest;
import io.tatami.protocol.wire.FinalizeBlockRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings one block to one length on its servers, under a generation that its home issued for this attempt. Every
 * recorded server is fenced and says what it holds; {@link SealLength} chooses; the servers that have as much finalize
 * it there. Those that did count, and no others.
 */
final class BlockRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(BlockRecovery.class);

    private final GroupPeers peers;

    BlockRecovery(GroupPeers peers) {
        this.peers = peers;
    }

    /** How it ended. */
    sealed interface Outcome {}

    /**
     * These copies hold it now.
     *
     * @param isLast whether its writer had not finished it, so that no block behind it was begun
     */
    record Held(RecoveredBlock block, boolean isLast) implements Outcome {}

    /** No server holds a byte that was acknowledged. */
    record Unwritten() implements Outcome {}

    /** Somebody has to come back first, or another attempt is to be made. */
    record Waiting(String why) implements Outcome {}

    /**
     * Never completes exceptionally.
     *
     * @param failed servers that are not waited for where the others tell the length
     */
    CompletableFuture<Outcome> recover(RecoveringBlock block, List<ServerId> failed) {
        Map<Copy, CompletableFuture<Answer>> fences = new LinkedHashMap<>();
        for (Copy copy : BlockCopies.copies(block.getServerIdList(), block.getCopyNumberList())) {
            if (!isGivenUp(copy.server())) {
                fences.put(copy, fence(copy, block));
            }
        }
        return answered(fences, failed).thenCompose(answers -> {
            Verdict verdict = verdict(block, answers);
            return verdict instanceof Wait
                    ? answered(fences, List.of()).thenCompose(all -> settle(block, all, verdict(block, all)))
                    : settle(block, answers, verdict);
        });
    }

    /** Of a server that a person gave up no answer is to be expected any more. */
    private boolean isGivenUp(ServerId server) {
        return peers.map().getBlockServerList().stream()
                .anyMatch(
                        info -> info.getServerId() == server.value() && info.getState() == BlockServerInfo.State.GONE);
    }

    /** The answers, once all servers but those that failed have given theirs. */
    private static CompletableFuture<List<Answer>> answered(
            Map<Copy, CompletableFuture<Answer>> fences, List<ServerId> failed) {
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        fences.forEach((copy, fence) -> answers.add(
                failed.contains(copy.server()) && !fence.isDone()
                        ? CompletableFuture.completedFuture(new Silent(copy, "it failed the writer"))
                        : fence));
        return all(answers);
    }

    private static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
                .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
    }

    private static Verdict verdict(RecoveringBlock block, List<Answer> answers) {
        return SealLength.of(new BlockId(block.getBlockId()), bounds(block), answers);
    }

    private static Bounds bounds(RecoveringBlock block) {
        return new Bounds(
                Generation.of(block.getCommittedGeneration()),
                block.getCommittedLength(),
                block.getAcknowledgedLength(),
                block.hasCutLength() ? OptionalLong.of(block.getCutLength()) : OptionalLong.empty());
    }

    private CompletableFuture<Outcome> settle(RecoveringBlock block, List<Answer> answers, Verdict verdict) {
        if (verdict instanceof Length length) {
            return finalizeAll(block, length, SealLength.isUnfinished(bounds(block), answers));
        }
        return CompletableFuture.completedFuture(
                verdict instanceof Wait wait ? new Waiting(wait.why()) : new Unwritten());
    }

    private CompletableFuture<Outcome> finalizeAll(RecoveringBlock block, Length length, boolean isLast) {
        FinalizeBlockRequest request = FinalizeBlockRequest.newBuilder()
                .setBlockId(block.getBlockId())
                .setGeneration(block.getNewGeneration())
                .setLength(length.bytes())
                .build();
        List<CompletableFuture<Boolean>> adopted =
                length.servers().stream().map(server -> adopts(server, request)).toList();
        return all(adopted).thenApply(each -> {
            RecoveredBlock.Builder held = RecoveredBlock.newBuilder()
                    .setBlockId(block.getBlockId())
                    .setGeneration(block.getNewGeneration())
                    .setLength(length.bytes());
            for (int i = 0; i < each.size(); i++) {
                if (each.get(i)) {
                    held.addServerId(length.servers().get(i).value());
                }
            }
            return held.getServerIdCount() > 0
                    ? new Held(held.build(), isLast)
                    : new Waiting("no server of " + length.servers() + " finalized " + new BlockId(block.getBlockId())
                            + " at " + length.bytes() + " bytes");
        });
    }

    private CompletableFuture<Boolean> adopts(ServerId server, FinalizeBlockRequest request) {
        return peers.callBlockServer(server, BlockMethods.FINALIZE_BLOCK, request)
                .handle((reply, failure) -> {
                    if (failure != null) {
                        tell(server, "finalize", request.getBlockId(), Causes.of(failure));
                    }
                    return failure == null;
                });
    }

    private CompletableFuture<Answer> fence(Copy copy, RecoveringBlock block) {
        FenceBlockRequest request = FenceBlockRequest.newBuilder()
                .setBlockId(block.getBlockId())
                .setGeneration(block.getNewGeneration())
                .build();
        return peers.callBlockServer(copy.server(), BlockMethods.FENCE_BLOCK, request)
                .handle((reply, failure) -> {
                    if (failure == null) {
                        return answer(copy, reply);
                    }
                    TatamiException cause = Causes.of(failure);
                    tell(copy.server(), "fence", block.getBlockId(), cause);
                    return new Silent(copy, String.valueOf(cause.getMessage()));
                });
    }

    private static Answer answer(Copy copy, FenceBlockReply reply) {
        return reply.getAbsent()
                ? new Absent(copy)
                : new Present(
                        copy,
                        reply.getCopyNumber(),
                        Generation.of(reply.getGeneration()),
                        reply.getHeldLength(),
                        reply.getDurableLength(),
                        reply.getFinalized(),
                        reply.getAssured());
    }

    /** Servers that are away, or have other things to do, are no bugs: where in the code that was seen says nothing. */
    private static void tell(ServerId server, String what, long block, TatamiException cause) {
        if (cause.code() == ErrorCode.INTERNAL) {
            LOG.error("{} did not {} {}", server, what, new BlockId(block), cause);
        } else {
            LOG.warn("{} did not {} {}: {}", server, what, new BlockId(block), cause.toString());
        }
    }
}
