package io.tatami.meta.op.lease;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.op.file.HomedFile.OpenBlock;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.FinishRecoveryRequest;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.RecoveredBlock;
import io.tatami.protocol.wire.Empty;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Closes a file with what its servers were found to hold. Blocks of which nothing is durable are dropped with all
 * behind them; copies that did not answer no longer count. Never shorter than what was committed: a recovery that knows
 * less waits. Content that was inline stays so unless the blocks hold all of it.
 */
public final class FinishRecovery implements Operation<ShardState, FinishRecoveryRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, FinishRecoveryRequest request)
            throws TatamiException, UnsettledException {
        HomedFile file = HomedFile.find(state, new FileId(request.getFileId()));
        if (file == null || !isAwaited(file.home(), request.getRecoveryId())) {
            return Empty.getDefaultInstance();
        }
        Deque<RecoveredBlock> found = new ArrayDeque<>(request.getBlockList());
        List<OpenBlock> open = file.openBlocks();
        long finalLength = file.finalLength(open);
        boolean taken = holdsInlineContent(file, finalLength, found);
        long length = finalLength;
        int dropped = 0;
        for (OpenBlock block : open) {
            RecoveredBlock recovered = taken ? found.poll() : null;
            if (recovered == null) {
                dropped++;
                continue;
            }
            length += recovered.getLength();
            finish(file, block, recovered);
        }
        drop(file, dropped);
        file.setBlockLength(length);
        file.close(context.nowMillis());
        return Empty.getDefaultInstance();
    }

    private static boolean isAwaited(HomeRecord.Builder home, long recoveryId) {
        return switch (home.getState()) {
            case RECOVERING, TRUNCATING -> home.getRecoveryId() == recoveryId;
            case OPEN, UNWRITTEN, CLOSED, UNRECOGNIZED -> false;
        };
    }

    private static boolean holdsInlineContent(HomedFile file, long finalLength, Deque<RecoveredBlock> found) {
        long sum = finalLength
                + found.stream().mapToLong(RecoveredBlock::getLength).sum();
        return !file.home().getContentInline() || sum >= file.home().getLength();
    }

    private static void finish(HomedFile file, OpenBlock open, RecoveredBlock recovered) {
        BlockRecord block = open.block();
        BlockId id = new BlockId(block.getBlockId());
        Check.check(
                recovered.getBlockId() == id.value() && recovered.getGeneration() == block.getIssuedGeneration(),
                "a recovery of %s under generation %d found %d under %d",
                id,
                block.getIssuedGeneration(),
                recovered.getBlockId(),
                recovered.getGeneration());
        Check.check(
                recovered.getLength() >= block.getLength() && recovered.getServerIdCount() > 0,
                "a recovery of %s, of which %d bytes are committed, found %d on %d servers",
                id,
                block.getLength(),
                recovered.getLength(),
                recovered.getServerIdCount());
        BlockRecord.Builder finished =
                block.toBuilder().setGeneration(recovered.getGeneration()).setLength(recovered.getLength());
        BlockCopies.of(finished).keepCounted(ServerId.listOf(recovered.getServerIdList()));
        file.finishBlock(open.index(), finished);
    }

    private static void drop(HomedFile file, int count) {
        for (int i = 0; i < count; i++) {
            BlockRecord last =
                    file.openBlocks().get(file.openBlocks().size() - 1).block();
            Check.check(
                    last.getLength() == 0 || file.home().getContentInline(),
                    "a recovery would drop %d committed bytes of %s",
                    last.getLength(),
                    file.id());
            file.dropLastBlock();
        }
    }
}
