package io.tatami.meta.service.cluster;

import io.tatami.meta.op.fsck.Fsck;
import io.tatami.meta.service.GroupParts;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.Handlers;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.MetaMethods;

/** What a shard does for the cluster: it checks its records. */
public final class ShardClusterHandlers implements Handlers<ShardState> {
    @Override
    public void register(GroupTable<ShardState> table, GroupParts<ShardState> parts) {
        table.read(MetaMethods.FSCK, new Fsck());
    }
}
