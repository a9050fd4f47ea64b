package io.tatami.meta.op.copies;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.AdvanceHealCursorReply;
import io.tatami.meta.state.wire.AdvanceHealCursorRequest;
import io.tatami.meta.state.wire.HealCursorRecord;
import io.tatami.meta.state.wire.HealCursorRecordOrBuilder;
import io.tatami.meta.state.wire.NeededBlock;
import io.tatami.meta.state.wire.ReplicaRecord.Problem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Queues the next blocks of a server that is to have none any more, in the order of their ids: in the first pass those
 * of which one good copy is left, in the second all; in the third all of one that serves, and has another rack, or of
 * which some are from when there was one rack. Where the pass has got is logged. The queue is bounded: where too many
 * blocks wait, the cursor does, in the first pass for others of its kind alone. A block that is unschedulable stays so:
 * it is looked at again when servers stand otherwise. Pass 0 forgets the cursor.
 */
public final class AdvanceHealCursor
        implements Operation<ShardState, AdvanceHealCursorRequest, AdvanceHealCursorReply> {
    /** Forgets where a pass has got. */
    public static final int NO_PASS = 0;

    /** Blocks with one good copy left. */
    public static final int LAST_COPIES = 1;

    /** All blocks. */
    public static final int ALL = 2;

    /** All blocks, of a server that serves and is in another rack than before. */
    public static final int MOVED = 3;

    @Override
    public AdvanceHealCursorReply decide(ShardState state, RequestContext context, AdvanceHealCursorRequest request) {
        ServerId server = new ServerId(request.getServerId());
        HealCursorRecord cursor = state.needs().healCursor(server);
        if (request.getPass() == NO_PASS) {
            end(state, server, cursor, cursor);
            return AdvanceHealCursorReply.newBuilder().setDone(true).build();
        }
        if (request.getPass() == MOVED && isJudged(cursor, request)) {
            end(state, server, cursor, cursor.toBuilder().setSeveralRacks(request.getSeveralRacks()));
            return AdvanceHealCursorReply.newBuilder().setDone(true).build();
        }
        if (waiting(state, request) >= request.getWaitingMax()) {
            return AdvanceHealCursorReply.newBuilder().setFull(true).build();
        }
        long after = cursor.getPass() == request.getPass() ? cursor.getAfterBlockId() : 0;
        List<BlockId> page = page(state, server, after, request.getLimit());
        queue(state, request, page);
        boolean done = page.size() < request.getLimit();
        if (!done) {
            state.needs()
                    .putHealCursor(
                            server,
                            cursor.toBuilder()
                                    .setPass(request.getPass())
                                    .setAfterBlockId(page.get(page.size() - 1).value())
                                    .build());
        } else {
            end(state, server, cursor, after(cursor, request));
        }
        return AdvanceHealCursorReply.newBuilder()
                .setDone(done)
                .setLookedAt(page.size())
                .build();
    }

    /**
     * What bounds the pass: blocks with one good copy left do not wait behind others, some of which nothing may help.
     */
    private static long waiting(ShardState state, AdvanceHealCursorRequest request) {
        return request.getPass() == LAST_COPIES
                ? state.needs().count(Urgency.LAST_COPY)
                : state.needs().count();
    }

    /** Whether the blocks were queued since the rack was changed so often, and since there are several racks. */
    private static boolean isJudged(HealCursorRecord cursor, AdvanceHealCursorRequest request) {
        return cursor.getRackChanges() >= request.getRackChanges()
                && (cursor.getSeveralRacks() || !request.getSeveralRacks());
    }

    private static HealCursorRecordOrBuilder after(HealCursorRecord cursor, AdvanceHealCursorRequest request) {
        return request.getPass() == MOVED
                ? HealCursorRecord.newBuilder()
                        .setRackChanges(Math.max(cursor.getRackChanges(), request.getRackChanges()))
                        .setSeveralRacks(request.getSeveralRacks())
                : cursor;
    }

    /** No pass is under way; what one for changed racks was done for stays. */
    private static void end(
            ShardState state, ServerId server, HealCursorRecord cursor, HealCursorRecordOrBuilder judged) {
        HealCursorRecord ended = HealCursorRecord.newBuilder()
                .setRackChanges(judged.getRackChanges())
                .setSeveralRacks(judged.getSeveralRacks())
                .build();
        if (ended.equals(cursor)) {
            return;
        }
        if (ended.equals(HealCursorRecord.getDefaultInstance())) {
            state.needs().removeHealCursor(server);
        } else {
            state.needs().putHealCursor(server, ended);
        }
    }

    private static List<BlockId> page(ShardState state, ServerId server, long after, int limit) {
        List<BlockId> page = new ArrayList<>();
        byte[] from = Keys.replica(server, new BlockId(after + 1));
        try (View.Cursor cursor = state.draft().scan(from, Keys.after(Keys.replicas(server)))) {
            while (page.size() < limit && cursor.next()) {
                page.add(new BlockId(Keys.blockOfReplica(cursor.key())));
            }
        }
        return page;
    }

    private static void queue(ShardState state, AdvanceHealCursorRequest request, List<BlockId> page) {
        Set<ServerId> lost = new HashSet<>(ServerId.listOf(request.getLostServerIdList()));
        NeededBlocks blocks = new NeededBlocks(state);
        for (BlockId block : page) {
            NeededBlock needed = blocks.find(block);
            if (!needed.hasBlock()) {
                continue;
            }
            FileId file = new FileId(needed.getFileId());
            if (state.needs().urgency(block) == Urgency.UNSCHEDULABLE) {
                continue;
            }
            boolean isLast = needed.getWanted() > 1 && good(needed, lost) <= 1;
            if (isLast && state.needs().urgency(block) != Urgency.LAST_COPY) {
                state.needs().put(block, Urgency.LAST_COPY, file, needed.getIndex());
            } else if (!isLast && request.getPass() >= ALL) {
                state.needs().look(block, file, needed.getIndex());
            }
        }
    }

    private static int good(NeededBlock needed, Set<ServerId> lost) {
        List<Copy> counted = BlockCopies.counted(needed.getBlock());
        int good = 0;
        for (int i = 0; i < counted.size(); i++) {
            if (!lost.contains(counted.get(i).server()) && needed.getProblem(i) == Problem.NONE) {
                good++;
            }
        }
        return good;
    }
}
