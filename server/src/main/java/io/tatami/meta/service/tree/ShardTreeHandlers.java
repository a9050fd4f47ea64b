package io.tatami.meta.service.tree;

import io.tatami.meta.op.UnsettledException.MarkerInDoubt;
import io.tatami.meta.op.tree.Announce;
import io.tatami.meta.op.tree.ReadShares;
import io.tatami.meta.op.tree.ReserveMarker;
import io.tatami.meta.op.tree.SettleMarker;
import io.tatami.meta.service.GroupParts;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.Handlers;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.MetaMethods;

/** What a shard does for the directory tree. */
public final class ShardTreeHandlers implements Handlers<ShardState> {
    @Override
    public void register(GroupTable<ShardState> table, GroupParts<ShardState> parts) {
        table.write(MetaMethods.ANNOUNCE, new Announce())
                .write(MetaMethods.RESERVE_MARKER, new ReserveMarker())
                .write(MetaMethods.SETTLE_MARKER, new SettleMarker())
                .read(MetaMethods.READ_SHARES, new ReadShares())
                .settle(MarkerInDoubt.class, new MarkerSettler(parts.group(), parts.peers()));
    }
}
