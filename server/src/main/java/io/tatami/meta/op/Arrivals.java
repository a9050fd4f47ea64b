package io.tatami.meta.op;

import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import io.tatami.meta.op.UnsettledException.EntryNotArrived;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.Arrival;
import io.tatami.meta.state.wire.GrowthRecord;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.Handle;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Directories that were widened from {@code w} to {@code 2w} shards: each of the shards that were added, a receiver,
 * gets its entries from one of those before, the giver, in the order of their names, but for names that were asked for
 * and fetched ahead. Until an entry has arrived nobody may act on its name here, because it may be at the giver.
 */
public final class Arrivals {
    /** A shard looks whether a directory is large or hot each time that so many of its names here have changed. */
    public static final int GROWTH_STEP = 500;

    private Arrivals() {}

    /** @throws UnsettledException what has the name is still at the giver, if anything has it */
    public static void requireHere(ShardState state, Handle handle, String name) throws UnsettledException {
        requireHere(
                state, new DirectoryId(handle.getDirectoryId()), name, handle.getSpread(), handle.getWideningFrom());
    }

    /**
     * @param fromSpread what the directory is being widened from; 0 where it is not
     * @throws UnsettledException as above
     */
    public static void requireHere(ShardState state, DirectoryId directory, String name, int spread, int fromSpread)
            throws UnsettledException {
        Arrival arrival = underWay(state, directory, spread, fromSpread);
        if (arrival != null && !hasArrived(state, directory, arrival, name)) {
            throw new UnsettledException(new EntryNotArrived(directory, name, spread, fromSpread));
        }
    }

    /** Whether what has the name, if anything has it, is here. */
    public static boolean hasArrived(ShardState state, DirectoryId directory, Arrival arrival, String name) {
        return arrival.getComplete() || compare(name, arrival.getUpTo()) <= 0 || state.isFetched(directory, name);
    }

    /** What has arrived here of a directory; null where nothing is to arrive, or all has. */
    public static @Nullable Arrival underWay(ShardState state, DirectoryId directory, int spread, int fromSpread) {
        if (fromSpread == 0 || stepOf(state, directory) < fromSpread) {
            return null;
        }
        Arrival arrival = arrival(state, directory, spread);
        return arrival.getComplete() ? null : arrival;
    }

    /**
     * What has arrived here of the directory's part under a spread. Into one that was reclaimed nothing comes any more,
     * however late: nobody would find it there.
     */
    public static Arrival arrival(ShardState state, DirectoryId directory, int spread) {
        Arrival arrival = state.slice(directory).getArrival();
        if (arrival.getSpread() >= spread) {
            return arrival;
        }
        boolean isOver = state.gate(directory).getReclaimed();
        return Arrival.newBuilder()
                .setSpread(spread)
                .setComplete(isOver)
                .setEnded(isOver)
                .build();
    }

    /** Who had what this shard gets when a directory is widened. */
    public static GroupId giverTo(GroupId receiver, int fromSpread, int shards) {
        return GroupId.ofShard(Math.floorMod(receiver.shard() - fromSpread, shards));
    }

    /** Whether what has the name here was given to another shard, or is about to be. */
    public static boolean isGiven(ShardState state, DirectoryId directory, String name) {
        int spread = state.slice(directory).getGivenSpread();
        return spread != 0 && !isOwnedHere(state, directory, name, spread);
    }

    /** Whether a name belongs to this shard under a spread. */
    public static boolean isOwnedHere(ShardState state, DirectoryId directory, String name, int spread) {
        return Placement.shardOf(
                        directory, name, Math.max(1, spread), state.group().getShards())
                .equals(state.id());
    }

    /** The order of entries in a shard, which is that of their names' bytes. */
    public static int compare(String left, String right) {
        return Arrays.compareUnsigned(left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
    }

    /** After a name came or went, or two did: notes, now and then, that the directory has changed. */
    public static void noteChange(ShardState state, Handle handle) {
        DirectoryId directory = new DirectoryId(handle.getDirectoryId());
        if (canBeWidened(state, handle.getSpread()) && state.slice(directory).getChanges() % GROWTH_STEP < 2) {
            putGrowth(state, directory, handle.getSpread());
        }
    }

    /** After a directory was widened to {@code spread}: has it looked at whether it is to be divided further. */
    public static void noteWidened(ShardState state, DirectoryId directory, int spread) {
        if (canBeWidened(state, spread)) {
            putGrowth(state, directory, spread);
        }
    }

    private static boolean canBeWidened(ShardState state, int spread) {
        return spread * 2 <= state.group().getShards();
    }

    private static void putGrowth(ShardState state, DirectoryId directory, int spread) {
        state.putGrowth(directory, GrowthRecord.newBuilder().setSpread(spread).build());
    }

    private static int stepOf(ShardState state, DirectoryId directory) {
        int shards = state.group().getShards();
        return Math.floorMod(state.id().shard() - Placement.firstShardOf(directory, shards), shards);
    }
}
