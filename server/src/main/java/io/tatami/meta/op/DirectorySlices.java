package io.tatami.meta.op;

import io.tatami.base.DirectoryId;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.meta.state.wire.EntryRecord;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a shard's part of a directory's sums exact: whoever puts, replaces or removes an entry says so here, in the
 * same draft. Markers, and records that hold nothing but a mark of a move, count for nothing.
 */
public final class DirectorySlices {
    private DirectorySlices() {}

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
        DirectorySliceRecord.Builder slice = state.slice(directory).toBuilder();
        slice.setLastChangeMillis(Math.max(slice.getLastChangeMillis(), nowMillis));
        slice.setChanges(slice.getChanges() + 1);
        add(slice, before, -1);
        add(slice, after, 1);
        state.putSlice(directory, slice.build());
    }

    /** A file's length or replication changed under its name, which leaves the directory's times alone. */
    public static void contentChanged(ShardState state, DirectoryId directory, EntryRecord before, EntryRecord after) {
        DirectorySliceRecord.Builder slice = state.slice(directory).toBuilder();
        add(slice, before, -1);
        add(slice, after, 1);
        state.putSlice(directory, slice.build());
    }

    /**
     * An entry began or ended to leave for, or to arrive from, another shard.
     *
     * @param movingBy 1 at the beginning, -1 at the end
     */
    public static void moveChanged(ShardState state, DirectoryId directory, int movingBy) {
        DirectorySliceRecord slice = state.slice(directory);
        state.putSlice(
                directory,
                slice.toBuilder()
                        .setMoves(slice.getMoves() + 1)
                        .setMoving(slice.getMoving() + movingBy)
                        .build());
    }

    /** Sums with an entry more, or less. */
    public static DirectorySliceRecord with(DirectorySliceRecord sums, EntryRecord entry, int sign) {
        DirectorySliceRecord.Builder changed = sums.toBuilder();
        add(changed, entry, sign);
        return changed.build();
    }

    private static void add(DirectorySliceRecord.Builder slice, @Nullable EntryRecord entry, int sign) {
        if (entry == null) {
            return;
        }
        if (entry.hasFile()) {
            long length = entry.getFile().getLength();
            slice.setFiles(slice.getFiles() + sign);
            slice.setBytes(slice.getBytes() + sign * length);
            slice.setSpaceConsumed(
                    slice.getSpaceConsumed() + sign * length * entry.getFile().getReplication());
        } else if (entry.hasSymlink()) {
            slice.setSymlinks(slice.getSymlinks() + sign);
        }
    }
}
