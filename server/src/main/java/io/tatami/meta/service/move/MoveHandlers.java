package io.tatami.meta.service.move;

import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.UnsettledException.EntriesNotArrived;
import io.tatami.meta.op.UnsettledException.EntryArriving;
import io.tatami.meta.op.UnsettledException.EntryLeaving;
import io.tatami.meta.op.UnsettledException.EntryNotArrived;
import io.tatami.meta.op.move.BulkDelete;
import io.tatami.meta.op.move.DeleteFile;
import io.tatami.meta.op.move.Deliver;
import io.tatami.meta.service.GroupParts;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.Handlers;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.MetaMethods;

/**
 * The part of a shard that deletes and renames files, keeps their homes informed, and divides directories that grow.
 */
public final class MoveHandlers implements Handlers<ShardState> {
    @Override
    public void register(GroupTable<ShardState> table, GroupParts<ShardState> parts) throws TatamiException {
        register(table, parts, MoveOperations.of(new HandleCheck(parts.signer())));
    }

    static void register(GroupTable<ShardState> table, GroupParts<ShardState> parts, MoveOperations operations)
            throws TatamiException {
        DeleteFile delete = new DeleteFile(new HandleCheck(parts.signer()));
        MoveCoordinator coordinator = new MoveCoordinator(parts, operations);
        ArrivingEntries arriving = new ArrivingEntries(parts, operations);
        LeavingEntries leaving = new LeavingEntries(parts, operations);
        table.write(MetaMethods.DELETE_FILE, delete)
                .write(MetaMethods.BULK_DELETE, new BulkDelete(delete))
                .flow(MetaMethods.RENAME_FILE, coordinator::rename)
                .write(MetaMethods.PREPARE_MOVE, operations.prepare())
                .write(MetaMethods.FINISH_MOVE, operations.finish())
                .flow(MetaMethods.MOVE_STATUS, coordinator::status)
                .write(MetaMethods.DELIVER, new Deliver())
                .write(MetaMethods.GIVE_ENTRIES, operations.give())
                .flow(MetaMethods.TAKE_ENTRIES, arriving::take)
                .settle(EntryLeaving.class, leaving::settle)
                .settle(EntryArriving.class, coordinator::settle)
                .settle(EntryNotArrived.class, arriving::fetch)
                .settle(EntriesNotArrived.class, arriving::settle)
                .background("directories to widen", "n", new GrownDirectories(parts)::run)
                .background("moves to here", "", coordinator::sweep)
                .background("moves from here", "", leaving::sweep);
        for (int shard = 0; shard < parts.record().getShards(); shard++) {
            GroupId to = GroupId.ofShard(shard);
            if (!to.equals(parts.group().id())) {
                table.background("outbox to " + to, "o", new OutboxSender(parts, to)::run);
            }
        }
    }
}
