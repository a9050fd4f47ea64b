package io.tatami.meta.op.servers;

import io.tatami.base.ServerId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.BlockServerRecord;
import io.tatami.meta.state.wire.NoteBlockServersRequest;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.Empty;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what the namespace's leader has found out of block servers: that one has said that it ends, that a drain
 * has ended, that one is back for which the brake was released, and the racks that were resolved. What is not so any
 * more, or was written down before, changes nothing.
 */
public final class NoteBlockServers implements Operation<ClusterState, NoteBlockServersRequest, Empty> {
    @Override
    public Empty decide(ClusterState state, RequestContext context, NoteBlockServersRequest request) {
        for (NoteBlockServersRequest.Item item : request.getItemList()) {
            ServerId id = new ServerId(item.getServerId());
            @Nullable BlockServerRecord before = state.server(id);
            if (before == null || (item.getIncarnation() != 0 && item.getIncarnation() != before.getIncarnation())) {
                continue;
            }
            BlockServerRecord now = ServerRack.counted(before, noted(before, item));
            if (!now.equals(before)) {
                state.putServer(id, now);
            }
        }
        return Empty.getDefaultInstance();
    }

    private static BlockServerRecord noted(BlockServerRecord before, NoteBlockServersRequest.Item item) {
        BlockServerRecord.Builder now = before.toBuilder();
        if (item.getLeft()) {
            now.setLeft(true);
        }
        if (item.getDrained() && isToBeEmpty(before)) {
            now.setDrained(true);
        }
        if (item.getReturned()) {
            now.clearBrakeReleased();
        }
        if (!item.getResolvedRack().isEmpty() && ServerRack.isResolved(before)) {
            now.setResolvedRack(item.getResolvedRack());
        }
        return now.build();
    }

    /** Whether shards are to have no blocks on a server. */
    public static boolean isToBeEmpty(BlockServerRecord record) {
        return record.getState() == BlockServerInfo.State.DRAINING_VALUE
                || record.getState() == BlockServerInfo.State.GONE_VALUE;
    }
}
