package io.tatami.meta.service.reclaim;

import io.tatami.meta.op.reclaim.ReclaimDirectories;
import io.tatami.meta.op.reclaim.RecordDamage;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.MetaMethods;

/** The part of a shard that gives space back and looks after what block servers hold. */
public final class ReclaimHandlers implements GroupPart<ShardState> {
    @Override
    public void register(GroupTable<ShardState> table, PartContext<ShardState> parts) {
        DrainWatch drains = new DrainWatch(parts);
        table.write(MetaMethods.RECLAIM_DIRECTORIES, new ReclaimDirectories())
                .write(MetaMethods.DAMAGED_COPIES, new RecordDamage())
                .background("reclamation", "q", new BlockReclaimer(parts)::run)
                .background("audit of block servers", "", new ServerAudit(parts, drains)::run)
                .background("block servers that drain", "", drains::run);
    }
}
