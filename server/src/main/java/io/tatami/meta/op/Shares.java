package io.tatami.meta.op;

import io.tatami.base.DirectoryId;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.ShareRecord;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a shard's part of a directory's sums exact: whoever puts, replaces or removes an entry says so here, in the
 * same draft. Markers, and records that hold nothing but a mark of a move, count for nothing.
 */
public final class Shares {
    private Shares() {}

    /**
     * A name came, went, or stands for something else: the directory's modification time moves, too.
     *
     * @param before what the name stood for, null for nothing
     * @param after what it stands for now, null for nothing
     */
    public static void entryChanged(
            ShardState state,
            DirectoryId directory,
            @Nullable EntryRecord before,
            @Nullable EntryRecord after,
            long nowMillis) {
        ShareRecord.Builder share = state.share(directory).toBuilder();
        share.setLastChangeMillis(Math.max(share.getLastChangeMillis(), nowMillis));
        share.setChanges(share.getChanges() + 1);
        add(share, before, -1);
        add(share, after, 1);
        state.putShare(directory, share.build());
    }

    /** A file's length or replication changed under its name, which leaves the directory's times alone. */
    public static void contentChanged(ShardState state, DirectoryId directory, EntryRecord before, EntryRecord after) {
        ShareRecord.Builder share = state.share(directory).toBuilder();
        add(share, before, -1);
        add(share, after, 1);
        state.putShare(directory, share.build());
    }

    /**
     * An entry began or ended to leave for, or to arrive from, another shard.
     *
     * @param movingBy 1 at the beginning, -1 at the end
     */
    public static void moveChanged(ShardState state, DirectoryId directory, int movingBy) {
        ShareRecord share = state.share(directory);
        state.putShare(
                directory,
                share.toBuilder()
                        .setMoves(share.getMoves() + 1)
                        .setMoving(share.getMoving() + movingBy)
                        .build());
    }

    /** Sums with an entry more, or less. */
    public static ShareRecord with(ShareRecord sums, EntryRecord entry, int sign) {
        ShareRecord.Builder changed = sums.toBuilder();
        add(changed, entry, sign);
        return changed.build();
    }

    private static void add(ShareRecord.Builder share, @Nullable EntryRecord entry, int sign) {
        if (entry == null) {
            return;
        }
        if (entry.hasFile()) {
            long length = entry.getFile().getLength();
            share.setFiles(share.getFiles() + sign);
            share.setBytes(share.getBytes() + sign * length);
            share.setSpaceConsumed(
                    share.getSpaceConsumed() + sign * length * entry.getFile().getReplication());
        } else if (entry.hasSymlink()) {
            share.setSymlinks(share.getSymlinks() + sign);
        }
    }
}
