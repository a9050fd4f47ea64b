package io.tatami.meta.op.file;

import io.tatami.base.DirectoryId;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.gate.Rights.Sight;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.UnsettledException.EntriesNotArrived;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.Arrival;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.ListReply;
import io.tatami.protocol.wire.ListRequest;
import io.tatami.protocol.wire.Status;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of this shard's entries of a directory, by name in the order of UTF-8 bytes. Entries that are leaving are
 * settled first, so that whoever renamed a file does not find it listed under its old name; of those that are arriving
 * the share's count of moves tells the reader that it has to look again. Of a directory that is being widened only the
 * entries are listed that this shard owns under the handle, and only as far as all of them have arrived. Changes
 * nothing.
 */
public final class ListEntries implements Operation<ShardState, ListRequest, ListReply> {
    public static final int LIMIT_DEFAULT = 1_000;

    /** However much is asked for: a page is one frame. */
    public static final int LIMIT_MAX = 4_000;

    /** With locations a page ends where it holds so many blocks. */
    static final int BLOCKS_MAX = 20_000;

    private final HandleCheck handles;

    public ListEntries(HandleCheck handles) {
        this.handles = handles;
    }

    private record Named(String name, EntryRecord entry) {}

    @Override
    public ListReply decide(ShardState state, RequestContext context, ListRequest request)
            throws TatamiException, UnsettledException {
        Place place =
                Place.reachDirectory(handles, state, context, request.getHandle(), Access.READ | Access.EXECUTE, "");
        int asked = request.getLimit() == 0 ? LIMIT_DEFAULT : request.getLimit();
        int limit = Math.min(asked, LIMIT_MAX);
        Arrival arrival = arrival(state, place, request.getAfter());
        List<Named> page = scan(state, place, request.getAfter(), arrival, limit + 1);
        ListReply.Builder reply = ListReply.newBuilder()
                .setMore(page.size() > limit || arrival != null)
                .setMoves(state.share(place.directory()).getMoves());
        int blocks = 0;
        for (Named named : page.subList(0, Math.min(limit, page.size()))) {
            Sight sight = request.getWithLocations() ? Sight.LOCATIONS : Sight.LENGTH;
            Status.Builder status = FileStatus.complete(
                    state, FileStatus.of(state, place.caller(), named.name(), named.entry()), named.entry(), sight);
            FileStatus.addRight(handles.rights(), state, context, place.caller(), named.entry(), sight, status);
            reply.addStatus(status);
            blocks += status.getBlockCount();
            if (blocks > BLOCKS_MAX) {
                return reply.setMore(reply.getStatusCount() < page.size() || arrival != null)
                        .build();
            }
        }
        return reply.build();
    }

    /**
     * How far the directory has arrived here, where that is not all.
     *
     * @throws UnsettledException nothing that comes after {@code after} has
     */
    private static @Nullable Arrival arrival(ShardState state, Place place, String after) throws UnsettledException {
        int spread = place.handle().getSpread();
        int fromSpread = place.handle().getWideningFrom();
        Arrival arrival = Arrivals.underWay(state, place.directory(), spread, fromSpread);
        if (arrival != null && Arrivals.compare(arrival.getUpTo(), after) <= 0) {
            throw new UnsettledException(new EntriesNotArrived(place.directory(), next(after), spread, fromSpread));
        }
        return arrival;
    }

    /** @param arrival how far all is here; null for to the end */
    private static List<Named> scan(ShardState state, Place place, String after, @Nullable Arrival arrival, int count)
            throws UnsettledException {
        DirectoryId directory = place.directory();
        int spread = place.handle().getSpread();
        byte[] from = after.isEmpty() ? Keys.entries(directory) : Keys.entry(directory, next(after));
        byte[] to =
                arrival == null ? Keys.after(Keys.entries(directory)) : Keys.entry(directory, next(arrival.getUpTo()));
        List<Named> found = new ArrayList<>();
        try (View.Cursor cursor = state.draft().scan(from, to)) {
            while (found.size() < count && cursor.next()) {
                String name = Keys.nameOf(cursor.key());
                if (spread > 1 && !Arrivals.isOwnedHere(state, directory, name, spread)) {
                    continue;
                }
                EntryRecord record = ShardState.parse(cursor.value(), EntryRecord.parser());
                MoveMarks.requireReadable(directory, name, record);
                EntryRecord entry = MoveMarks.standing(record);
                if (entry != null) {
                    found.add(new Named(name, entry));
                }
            }
        }
        if (found.isEmpty() && arrival != null) {
            throw new UnsettledException(new EntriesNotArrived(
                    directory, next(arrival.getUpTo()), spread, place.handle().getWideningFrom()));
        }
        return found;
    }

    /** The first name after {@code name} that there could be. */
    private static String next(String name) {
        return name + "\0";
    }
}
