package io.tatami.meta.service.tree;

import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.UnsettledException.MarkerInDoubt;
import io.tatami.meta.op.tree.Announce;
import io.tatami.meta.op.tree.ReadShares;
import io.tatami.meta.op.tree.ReserveMarker;
import io.tatami.meta.op.tree.SettleMarker;
import io.tatami.meta.service.CheckedRead;
import io.tatami.meta.service.GroupParts;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.Handlers;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ReadSharesReply;
import io.tatami.protocol.wire.ReadSharesRequest;

/** What a shard does for the directory tree. */
public final class ShardTreeHandlers implements Handlers<ShardState> {
    @Override
    public void register(GroupTable<ShardState> table, GroupParts<ShardState> parts) {
        CheckedRead<ShardState, ReadSharesRequest, ReadSharesReply> shares = new CheckedRead<>(
                parts.group(),
                ReadShares.provenBy(new HandleCheck(parts.signer())),
                ReadShares.allowed(),
                new ShareAccess(parts.peers())::check);
        table.write(MetaMethods.ANNOUNCE, new Announce())
                .write(MetaMethods.RESERVE_MARKER, new ReserveMarker())
                .write(MetaMethods.SETTLE_MARKER, new SettleMarker())
                .flow(MetaMethods.READ_SHARES, shares)
                .settle(MarkerInDoubt.class, new MarkerSettler(parts.group(), parts.peers()));
    }
}
