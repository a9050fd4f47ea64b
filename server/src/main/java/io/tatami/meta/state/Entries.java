package io.tatami.meta.state;

import io.tatami.base.DirectoryId;
import io.tatami.meta.state.wire.Arrival;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import org.jspecify.annotations.Nullable;

/**
 * The only way to put, replace or remove an entry of a shard. The caller says what stands under the name from now on.
 * The record before it is looked up here, and the shard's slice of the directory changes by the difference, in the same
 * draft. So the sums of a slice are always those of the entries in the shard: files, symlinks, bytes, space, and
 * entries on the move.
 */
public final class Entries {
    private final ShardState state;

    Entries(ShardState state) {
        this.state = state;
    }

    /**
     * Changes what a name stands for: it came, it went, or it stands for something else. The directory's modification
     * time moves, too.
     *
     * @param after what the name stands for now, with the marks of moves; null for nothing
     */
    public void changeName(DirectoryId directory, String name, @Nullable EntryRecord after, long nowMillis) {
        Counted before = replace(directory, name, after);
        DirectorySliceRecord.Builder slice = state.slice(directory).toBuilder();
        slice.setLastChangeMillis(Math.max(slice.getLastChangeMillis(), nowMillis));
        slice.setChanges(slice.getChanges() + 1);
        change(slice, before, Counted.of(after));
        state.putSlice(directory, slice.build());
    }

    /**
     * Changes the record of a name whose meaning stays, or that goes to another shard or comes from one. The
     * directory's modification time stays.
     *
     * @param after as above
     */
    public void changeRecord(DirectoryId directory, String name, @Nullable EntryRecord after) {
        Counted before = replace(directory, name, after);
        Counted now = Counted.of(after);
        if (!now.equals(before)) {
            DirectorySliceRecord.Builder slice = state.slice(directory).toBuilder();
            change(slice, before, now);
            state.putSlice(directory, slice.build());
        }
    }

    /** Puts or removes the record, and returns what the one before counted for. */
    private Counted replace(DirectoryId directory, String name, @Nullable EntryRecord after) {
        byte[] key = Keys.entry(directory, name);
        Counted before = Counted.of(state.entryBefore(key));
        if (after == null) {
            state.remove(key);
        } else {
            state.write(key, after);
        }
        return before;
    }

    private static void change(DirectorySliceRecord.Builder slice, Counted before, Counted after) {
        addSums(slice, before, -1);
        addSums(slice, after, 1);
        if (before.moving != after.moving) {
            slice.setMoves(slice.getMoves() + 1);
            slice.setMoving(slice.getMoving() + after.moving - before.moving);
        }
    }

    private static void addSums(DirectorySliceRecord.Builder slice, Counted entry, int sign) {
        slice.setFiles(slice.getFiles() + sign * entry.files);
        slice.setSymlinks(slice.getSymlinks() + sign * entry.symlinks);
        slice.setBytes(slice.getBytes() + sign * entry.bytes);
        slice.setSpaceConsumed(slice.getSpaceConsumed() + sign * entry.space);
    }

    /** Sums with an entry more, or less, whose marks do not count. */
    public static DirectorySliceRecord sumsWith(DirectorySliceRecord sums, EntryRecord entry, int sign) {
        DirectorySliceRecord.Builder changed = sums.toBuilder();
        addSums(changed, Counted.of(entry), sign);
        return changed.build();
    }

    /**
     * Records what has come here of a directory that was widened. The slice counts as moving from the first of it until
     * it has ended.
     */
    public void putArrival(DirectoryId directory, Arrival arrival) {
        DirectorySliceRecord slice = state.slice(directory);
        int moving = (isUnderWay(arrival) ? 1 : 0) - (isUnderWay(slice.getArrival()) ? 1 : 0);
        state.putSlice(
                directory,
                slice.toBuilder()
                        .setArrival(arrival)
                        .setMoving(slice.getMoving() + moving)
                        .build());
    }

    private static boolean isUnderWay(Arrival arrival) {
        return arrival.getSpread() != 0 && !arrival.getEnded();
    }

    /** Records that entries which this shard does not own under a spread were given away, or are about to be. */
    public void putGivenSpread(DirectoryId directory, int spread) {
        state.putSlice(
                directory,
                state.slice(directory).toBuilder().setGivenSpread(spread).build());
    }

    /** The directory's modification time is told by others from now on: this shard knows of no change. */
    public void forgetLastChange(DirectoryId directory) {
        DirectorySliceRecord slice = state.slice(directory);
        if (slice.getLastChangeMillis() != 0) {
            state.putSlice(directory, slice.toBuilder().clearLastChangeMillis().build());
        }
    }

    /**
     * What an entry counts for in the slice of its directory. Markers, and records that hold nothing but a mark of a
     * move, count for no file.
     *
     * @param space bytes times copies
     * @param moving 1 while a move takes it away or puts something there
     */
    private record Counted(int files, int symlinks, long bytes, long space, int moving) {
        private static final Counted NOTHING = new Counted(0, 0, 0, 0, 0);

        static Counted of(@Nullable EntryRecord entry) {
            if (entry == null) {
                return NOTHING;
            }
            int moving = entry.getLeavingTransaction() != 0 || entry.getArrivingTransaction() != 0 ? 1 : 0;
            if (entry.hasFile()) {
                FileEntry file = entry.getFile();
                return new Counted(1, 0, file.getLength(), file.getLength() * file.getReplication(), moving);
            }
            return new Counted(0, entry.hasSymlink() ? 1 : 0, 0, 0, moving);
        }
    }
}
