package io.tatami.meta.op.reclaim;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.FileRemoval;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.ReclaimEntriesReply;
import io.tatami.meta.state.wire.ReclaimEntriesRequest;
import io.tatami.meta.state.wire.ReclaimRecord;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Removes some entries of a directory that is gone; with the last of them its share goes, and it leaves the queue. An
 * entry that a rename is about to take away, or to put here, is left until that has ended: it may have left before the
 * directory went.
 */
public final class ReclaimEntries implements Operation<ShardState, ReclaimEntriesRequest, ReclaimEntriesReply> {
    @Override
    public ReclaimEntriesReply decide(ShardState state, RequestContext context, ReclaimEntriesRequest request) {
        ReclaimRecord queued = state.reclaim(request.getNumber());
        if (queued == null) {
            return ReclaimEntriesReply.newBuilder().setDone(true).build();
        }
        DirectoryId directory = new DirectoryId(queued.getDirectoryId());
        int removed = 0;
        boolean moving = false;
        SortedMap<String, EntryRecord> entries = firstEntries(state, directory, request.getLimit() + 1);
        for (var entry : entries.entrySet()) {
            if (isMoving(entry.getValue())) {
                moving = true;
            } else if (removed < request.getLimit()) {
                remove(state, directory, entry.getKey(), entry.getValue(), context.nowMillis());
                removed++;
            }
        }
        boolean done = !moving && removed == entries.size();
        if (done) {
            state.removeSlice(directory);
            state.removeReclaim(request.getNumber());
        }
        return ReclaimEntriesReply.newBuilder()
                .setDone(done)
                .setRemoved(removed)
                .build();
    }

    private static boolean isMoving(EntryRecord record) {
        return record.getLeavingTransaction() != 0 || record.getArrivingTransaction() != 0;
    }

    private static void remove(
            ShardState state, DirectoryId directory, String name, EntryRecord entry, long nowMillis) {
        if (MoveMarks.standing(entry) == null || entry.hasMarker()) {
            state.entries().changeRecord(directory, name, null);
        } else {
            FileRemoval.removeEntry(state, directory, name, entry, nowMillis);
        }
    }

    private static SortedMap<String, EntryRecord> firstEntries(ShardState state, DirectoryId directory, int limit) {
        SortedMap<String, EntryRecord> entries = new TreeMap<>();
        byte[] prefix = Keys.entries(directory);
        try (View.Cursor cursor = state.draft().scan(prefix, Keys.after(prefix))) {
            while (entries.size() < limit && cursor.next()) {
                entries.put(Keys.nameOf(cursor.key()), ShardState.parse(cursor.value(), EntryRecord.parser()));
            }
        }
        return entries;
    }
}
