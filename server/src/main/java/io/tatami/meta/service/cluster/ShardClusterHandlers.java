package io.tatami.meta.service.cluster;

import io.tatami.meta.op.fsck.Fsck;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.MetaMethods;

/** What a shard does for the cluster: it checks its records. */
public final class ShardClusterHandlers implements GroupPart<ShardState> {
    @Override
    public void register(GroupTable<ShardState> table, PartContext<ShardState> parts) {
        table.read(MetaMethods.FSCK, new Fsck());
    }
}
