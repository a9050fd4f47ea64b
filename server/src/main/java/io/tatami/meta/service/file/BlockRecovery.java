package io.tatami.meta.service.file;

import io.tatami.base.BlockId;
import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.state.wire.RecoveredBlock;
import io.tatami.meta.state.wire.RecoveringBlock;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.RecoverBlockRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings one block to one length on all servers that hold a usable copy. First every server adopts the new generation,
 * which fences the old writer, and says how much it holds; then those that hold more than the shortest usable copy are
 * cut to it. Bytes beyond that length were never acknowledged, because an acknowledgement needs every copy. A copy
 * whose host was booted meanwhile may have lost what was acknowledged as flushed: it does not decide where another can.
 */
final class BlockRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(BlockRecovery.class);

    private final GroupPeers peers;

    BlockRecovery(GroupPeers peers) {
        this.peers = peers;
    }

    /** How it ended. */
    sealed interface Outcome {}

    /** These copies hold it now. */
    record Held(RecoveredBlock block) implements Outcome {}

    /** Every server answered, and none holds a byte. */
    record Unwritten() implements Outcome {}

    /** No copy that may be used answered: somebody has to come back first. */
    record Waiting(String why) implements Outcome {}

    /**
     * What one server said.
     *
     * @param lengthBytes 0 where it has no such block, or -1 where it did not answer
     * @param mayLackFlushed whether flushed bytes may be missing behind that; the copy is to be given a length yet
     */
    private record Answer(ServerId server, long lengthBytes, boolean mayLackFlushed) {
        static final long SILENT = -1;
    }

    /** Never completes exceptionally. */
    CompletableFuture<Outcome> recover(RecoveringBlock block) {
        List<ServerId> servers =
                block.getServerIdList().stream().map(ServerId::new).toList();
        return askAll(servers, request(block)).thenCompose(answers -> settle(block, answers));
    }

    private CompletableFuture<Outcome> settle(RecoveringBlock block, List<Answer> answers) {
        long needed = Math.max(1, block.getCommittedLength());
        List<Answer> usable = usable(answers, needed);
        if (usable.isEmpty()) {
            boolean allAnswered = answers.stream().noneMatch(answer -> answer.lengthBytes() == Answer.SILENT);
            Outcome outcome = allAnswered && block.getCommittedLength() == 0
                    ? new Unwritten()
                    : new Waiting("no server of " + block.getServerIdList() + " gives the " + block.getCommittedLength()
                            + " committed bytes of " + new BlockId(block.getBlockId()));
            return CompletableFuture.completedFuture(outcome);
        }
        long shortest = usable.stream().mapToLong(Answer::lengthBytes).min().orElseThrow();
        List<ServerId> longer = usable.stream()
                .filter(answer -> answer.lengthBytes() > shortest || answer.mayLackFlushed())
                .map(Answer::server)
                .toList();
        RecoverBlockRequest cut = request(block).toBuilder().setLength(shortest).build();
        return askAll(longer, cut).thenApply(cuts -> {
            List<Integer> holders = new ArrayList<>();
            for (Answer answer : usable) {
                boolean wasCut = cuts.contains(new Answer(answer.server(), shortest, false));
                if (!longer.contains(answer.server()) || wasCut) {
                    holders.add(answer.server().value());
                }
            }
            if (holders.isEmpty()) {
                return new Waiting("no server of " + block.getServerIdList() + " cut " + new BlockId(block.getBlockId())
                        + " to " + shortest + " bytes");
            }
            return new Held(RecoveredBlock.newBuilder()
                    .setBlockId(block.getBlockId())
                    .setGeneration(block.getNewGeneration())
                    .setLength(shortest)
                    .addAllServerId(holders)
                    .build());
        });
    }

    /** Copies with all that was acknowledged; where no answer is sure to have that, those with all that was synced. */
    private static List<Answer> usable(List<Answer> answers, long neededBytes) {
        List<Answer> synced = answers.stream()
                .filter(answer -> answer.lengthBytes() >= neededBytes)
                .toList();
        long flushed = synced.stream()
                .filter(answer -> !answer.mayLackFlushed())
                .mapToLong(Answer::lengthBytes)
                .min()
                .orElse(neededBytes);
        return synced.stream().filter(answer -> answer.lengthBytes() >= flushed).toList();
    }

    private static RecoverBlockRequest request(RecoveringBlock block) {
        RecoverBlockRequest.Builder request = RecoverBlockRequest.newBuilder()
                .setBlockId(block.getBlockId())
                .setCommittedGeneration(block.getCommittedGeneration())
                .setNewGeneration(block.getNewGeneration())
                .setLeaveLacking(true);
        return block.hasCutLength() ? request.setLength(block.getCutLength()).build() : request.build();
    }

    private CompletableFuture<List<Answer>> askAll(List<ServerId> servers, RecoverBlockRequest request) {
        List<CompletableFuture<Answer>> asked =
                servers.stream().map(server -> ask(server, request)).toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenApply(done -> asked.stream().map(CompletableFuture::join).toList());
    }

    private CompletableFuture<Answer> ask(ServerId server, RecoverBlockRequest request) {
        return peers.callBlockServer(server, BlockMethods.RECOVER_BLOCK, request)
                .handle((reply, failure) -> {
                    if (failure == null) {
                        return new Answer(server, reply.getLength(), reply.getMayLackFlushed());
                    }
                    TatamiException cause = Causes.of(failure);
                    boolean absent = cause.code() == ErrorCode.NO_SUCH_BLOCK;
                    if (!absent) {
                        tell(server, new BlockId(request.getBlockId()), cause);
                    }
                    return new Answer(server, absent ? 0 : Answer.SILENT, false);
                });
    }

    /** Servers that are away, or have other things to do, are no bugs: where in the code that was seen says nothing. */
    private static void tell(ServerId server, BlockId block, TatamiException cause) {
        if (cause.code() == ErrorCode.INTERNAL) {
            LOG.error("{} did not recover {}", server, block, cause);
        } else {
            LOG.warn("{} did not recover {}: {}", server, block, cause.toString());
        }
    }
}
