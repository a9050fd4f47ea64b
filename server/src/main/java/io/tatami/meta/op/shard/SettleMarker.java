package io.tatami.meta.op.shard;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.SettleMarkerRequest;

/**
 * Removes a marker whose name no directory has, or notes which directory has it; later reservations stay as they are.
 */
public final class SettleMarker implements Operation<ShardState, SettleMarkerRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, SettleMarkerRequest request) {
        DirectoryId parent = new DirectoryId(request.getParentId());
        EntryRecord entry = state.entry(parent, request.getName());
        if (entry != null && entry.hasMarker() && entry.getMarker().getVersion() <= request.getVersion()) {
            state.entries()
                    .changeRecord(
                            parent,
                            request.getName(),
                            request.getClear() ? null : confirmed(entry, request.getDirectoryId()));
        }
        return Empty.getDefaultInstance();
    }

    private static EntryRecord confirmed(EntryRecord entry, long directory) {
        return entry.toBuilder()
                .setMarker(
                        entry.getMarker().toBuilder().setDirectoryId(directory).setConfirmed(true))
                .build();
    }
}
