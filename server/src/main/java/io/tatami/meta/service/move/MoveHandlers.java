package io.tatami.meta.service.move;

import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.UnsettledException.EntriesLeaving;
import io.tatami.meta.op.UnsettledException.EntriesNotArrived;
import io.tatami.meta.op.UnsettledException.EntryArriving;
import io.tatami.meta.op.UnsettledException.EntryLeaving;
import io.tatami.meta.op.UnsettledException.EntryNotArrived;
import io.tatami.meta.op.outbox.Deliver;
import io.tatami.meta.op.remove.BulkDelete;
import io.tatami.meta.op.remove.DeleteFile;
import io.tatami.meta.op.rename.FinishMove;
import io.tatami.meta.op.rename.PrepareMove;
import io.tatami.meta.op.widen.GiveEntries;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.MetaMethods;

/**
 * The part of a shard that deletes and renames files, keeps their homes informed, and divides directories that grow.
 */
public final class MoveHandlers implements GroupPart<ShardState> {
    @Override
    public void register(GroupTable<ShardState> table, PartContext<ShardState> parts) throws TatamiException {
        HandleCheck handles = new HandleCheck(parts.signer());
        DeleteFile delete = new DeleteFile(handles);
        CrossShardRename coordinator = new CrossShardRename(parts, handles);
        WideningReceiver arriving = new WideningReceiver(parts);
        RenameSource leaving = new RenameSource(parts);
        table.write(MetaMethods.DELETE_FILE, delete)
                .write(MetaMethods.BULK_DELETE, new BulkDelete(delete))
                .flow(MetaMethods.RENAME_FILE, coordinator::rename)
                .write(MetaMethods.PREPARE_MOVE, new PrepareMove(handles))
                .write(MetaMethods.FINISH_MOVE, new FinishMove())
                .flow(MetaMethods.MOVE_STATUS, coordinator::status)
                .flow(MetaMethods.SETTLE_MOVES, leaving::settle)
                .flow(MetaMethods.SUM_SHARES, arriving::sum)
                .write(MetaMethods.DELIVER, new Deliver())
                .write(MetaMethods.GIVE_ENTRIES, new GiveEntries())
                .flow(MetaMethods.TAKE_ENTRIES, arriving::take)
                .settle(EntryLeaving.class, leaving::settle)
                .settle(EntriesLeaving.class, leaving::settle)
                .settle(EntryArriving.class, coordinator::settle)
                .settle(EntryNotArrived.class, arriving::fetch)
                .settle(EntriesNotArrived.class, arriving::settle)
                .background("directories to widen", "n", new GrownDirectories(parts))
                .background("moves to here", "", coordinator::sweep)
                .background("moves from here", "", leaving::sweep);
        for (int shard = 0; shard < parts.record().getShards(); shard++) {
            GroupId to = GroupId.ofShard(shard);
            if (!to.equals(parts.group().id())) {
                table.background("outbox to " + to, "o", new OutboxSender(parts, to));
            }
        }
    }
}
