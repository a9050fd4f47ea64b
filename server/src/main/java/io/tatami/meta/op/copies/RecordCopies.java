package io.tatami.meta.op.copies;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.FileRemoval;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.NeededBlock;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.Empty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts copies that servers have made. One counts if it is still intended and has the bytes and the generation that
 * are committed. Any other is reclaimed by its number: the block was changed or given another copy meanwhile. A report
 * that comes again changes nothing.
 */
public final class RecordCopies implements Operation<ShardState, CopiesMadeRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, CopiesMadeRequest request) throws TatamiException {
        ServerId server = new ServerId(request.getServerId());
        requirePresent(context, request);
        NeededBlocks blocks = new NeededBlocks(state);
        for (CopiesMadeRequest.Item item : request.getItemList()) {
            if (item.getCopyNumber() <= 0 || server.value() <= 0) {
                throw new TatamiException(
                        ErrorCode.MALFORMED,
                        "a report of copy " + item.getCopyNumber() + " on block server " + server
                                + "; numbers of copies that are made begin at 1");
            }
            NeededBlock needed = blocks.find(new BlockId(item.getBlockId()));
            Copy copy = new Copy(server, item.getCopyNumber());
            if (item.getError() != 0) {
                boolean unused = FailCopies.forget(state, needed, copy);
            } else {
                made(state, blocks, needed, copy, item);
            }
        }
        return Empty.getDefaultInstance();
    }

    /** What a former process, or one on a copy of the server's disk, has made may not be there. */
    private static void requirePresent(RequestContext context, CopiesMadeRequest request) throws TatamiException {
        for (BlockServerInfo info : context.cluster().getBlockServerList()) {
            if (info.getServerId() == request.getServerId()
                    && info.getIncarnation() != 0
                    && request.getIncarnation() != 0
                    && info.getIncarnation() != request.getIncarnation()) {
                throw new TatamiException(
                        ErrorCode.UNAVAILABLE,
                        "the process of block server " + request.getServerId()
                                + " that reports copies is not the one that this shard knows; report them again");
            }
        }
    }

    private static void made(
            ShardState state, NeededBlocks blocks, NeededBlock needed, Copy copy, CopiesMadeRequest.Item item) {
        BlockRecord.Builder record = needed.getBlock().toBuilder();
        boolean whole = needed.hasBlock()
                && item.getGeneration() == record.getGeneration()
                && item.getLength() == record.getLength();
        BlockId block = new BlockId(item.getBlockId());
        if (whole && BlockCopies.of(record).count(copy)) {
            FileId file = new FileId(needed.getFileId());
            state.changeBlock(file, needed.getIndex(), record.build());
            state.putReplica(copy.server(), block, state.replicaFromNow(file, true));
            Urgency urgency = state.needs().urgency(block);
            state.needs().put(block, urgency == null ? Urgency.UNJUDGED : urgency, file, needed.getIndex());
        } else if (!isKnown(blocks.record(block), copy)) {
            boolean unused = FailCopies.forget(state, needed, copy);
            reclaim(state, block, copy);
        }
    }

    /**
     * Whether this very copy counts, or is a spare, so that it was reported before.
     *
     * @param record of a block that is being appended to or cut, too: that ends intents, and no copies
     */
    private static boolean isKnown(@Nullable BlockRecord record, Copy copy) {
        return record != null
                && (BlockCopies.counted(record).contains(copy)
                        || BlockCopies.spares(record).contains(copy));
    }

    /** A block that this shard has not minted in its present epoch may be of a file that it has forgotten. */
    private static void reclaim(ShardState state, BlockId block, Copy copy) {
        if (state.hasMinted(block)) {
            FileRemoval.queue(
                    state, BlockRecord.newBuilder().setBlockId(block.value()).build(), List.of(copy));
        }
    }
}
