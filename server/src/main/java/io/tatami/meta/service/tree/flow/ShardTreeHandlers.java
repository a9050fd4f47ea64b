package io.tatami.meta.service.tree.flow;

import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.UnsettledException.MarkerInDoubt;
import io.tatami.meta.op.shard.Announce;
import io.tatami.meta.op.shard.ReadSlices;
import io.tatami.meta.op.shard.ReserveMarker;
import io.tatami.meta.op.shard.SettleMarker;
import io.tatami.meta.service.CheckedRead;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ReadSharesReply;
import io.tatami.protocol.wire.ReadSharesRequest;

/** What a shard does for the directory tree. */
public final class ShardTreeHandlers implements GroupPart<ShardState> {
    @Override
    public void register(GroupTable<ShardState> table, PartContext<ShardState> parts) {
        CheckedRead<ShardState, ReadSharesRequest, ReadSharesReply> shares = new CheckedRead<>(
                parts.group(),
                ReadSlices.provenBy(new HandleCheck(parts.signer())),
                ReadSlices.allowed(),
                new SliceAccess(parts.peers())::check);
        table.write(MetaMethods.ANNOUNCE, new Announce())
                .write(MetaMethods.RESERVE_MARKER, new ReserveMarker())
                .write(MetaMethods.SETTLE_MARKER, new SettleMarker())
                .flow(MetaMethods.READ_SHARES, shares)
                .settle(MarkerInDoubt.class, new MarkerSettler(parts.group(), parts.peers()));
    }
}
