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
import io.tatami.meta.op.UnsettledException.EntriesLeaving;
import io.tatami.meta.op.UnsettledException.EntriesNotArrived;
import io.tatami.meta.op.UnsettledException.EntryLeaving;
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
 * A page of this shard's entries of a directory, by name in the order of UTF-8 bytes. Of entries that are leaving it is
 * asked first, many at once, whether they have left, so that whoever renamed a file does not find it listed under its
 * old name; one that had not left by then, or was marked later, stood here when the listing began, and is listed. Of
 * those that are arriving the share's count of moves tells the reader that it has to look again. Of a directory that is
 * being widened only the entries are listed that this shard owns under the handle, and only as far as all of them have
 * arrived. Changes nothing.
 */
public final class ListEntries implements Operation<ShardState, ListRequest, ListReply> {
    static final int LIMIT_DEFAULT = 1_000;

    /** However much is asked for: a page is one frame. */
    static final int LIMIT_MAX = 4_000;

    /** With locations a page ends where it holds so many blocks. */
    static final int BLOCKS_MAX = 20_000;

    /** A page ends with the entry that reaches this, of which one may have half a MiB of extended attributes. */
    static final int BYTES_ENOUGH = 1 << 20;

    private final HandleCheck handles;

    public ListEntries(HandleCheck handles) {
        this.handles = handles;
    }

    private record Named(String name, EntryRecord entry) {}

    /** @param isCut behind these comes what has to be asked about first, or may come what was not looked at */
    private record Page(List<Named> entries, boolean isCut) {}

    @Override
    public ListReply decide(ShardState state, RequestContext context, ListRequest request)
            throws TatamiException, UnsettledException {
        ResolvedName resolved = ResolvedName.reachDirectory(
                handles, state, context, request.getHandle(), Access.READ | Access.EXECUTE, "");
        int asked = request.getLimit() == 0 ? LIMIT_DEFAULT : request.getLimit();
        int limit = Math.min(asked, LIMIT_MAX);
        Arrival arrival = arrival(state, resolved, request.getAfter());
        Page scanned = scan(state, context, resolved, request.getAfter(), arrival, limit);
        List<Named> page = scanned.entries();
        boolean isMoreBehind = scanned.isCut() || arrival != null;
        ListReply.Builder reply = ListReply.newBuilder()
                .setMore(isMoreBehind)
                .setMoves(state.slice(resolved.directory()).getMoves());
        KnownHealth health = request.getWithLocations() ? new KnownHealth(state, context.cluster()) : null;
        int blocks = 0;
        int bytes = 0;
        for (Named named : page) {
            Sight sight = request.getWithLocations() ? Sight.LOCATIONS : Sight.LENGTH;
            Status.Builder builder = FileStatus.complete(
                    state,
                    FileStatus.of(state, resolved.caller(), named.name(), named.entry()),
                    named.entry(),
                    sight,
                    health);
            FileStatus.addRight(handles.rights(), state, context, resolved.caller(), named.entry(), sight, builder);
            Status status = builder.build();
            reply.addStatus(status);
            blocks += status.getBlockCount();
            bytes += status.getSerializedSize();
            if (blocks > BLOCKS_MAX || bytes >= BYTES_ENOUGH) {
                return reply.setMore(reply.getStatusCount() < page.size() || isMoreBehind)
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
    private static @Nullable Arrival arrival(ShardState state, ResolvedName resolved, String after)
            throws UnsettledException {
        int spread = resolved.handle().getSpread();
        int fromSpread = resolved.handle().getWideningFrom();
        Arrival arrival = Arrivals.underWay(state, resolved.directory(), spread, fromSpread);
        if (arrival != null && Arrivals.compare(arrival.getUpTo(), after) <= 0) {
            throw new UnsettledException(new EntriesNotArrived(resolved.directory(), next(after), spread, fromSpread));
        }
        return arrival;
    }

    /**
     * Entries up to {@code limit}, or to those whose records reach {@link #BYTES_ENOUGH}.
     *
     * @param arrival how far all is here; null for to the end
     * @throws UnsettledException there are entries that are leaving, or none has arrived yet
     */
    private static Page scan(
            ShardState state,
            RequestContext context,
            ResolvedName resolved,
            String after,
            @Nullable Arrival arrival,
            int limit)
            throws UnsettledException {
        DirectoryId directory = resolved.directory();
        int spread = resolved.handle().getSpread();
        byte[] from = after.isEmpty() ? Keys.entries(directory) : Keys.entry(directory, next(after));
        byte[] to =
                arrival == null ? Keys.after(Keys.entries(directory)) : Keys.entry(directory, next(arrival.getUpTo()));
        List<Named> found = new ArrayList<>();
        List<EntryLeaving> leaving = new ArrayList<>();
        boolean isCut = false;
        long bytes = 0;
        try (View.Cursor cursor = state.draft().scan(from, to)) {
            while (!isCut && leaving.size() < EntriesLeaving.ENTRIES_MAX && cursor.next()) {
                if (found.size() + leaving.size() == limit || bytes >= BYTES_ENOUGH) {
                    isCut = true;
                    continue;
                }
                String name = Keys.nameOf(cursor.key());
                if (spread > 1 && !Arrivals.isOwnedHere(state, directory, name, spread)) {
                    continue;
                }
                EntryRecord record = ShardState.parse(cursor.value(), EntryRecord.parser());
                EntryRecord entry = MoveMarks.standing(record);
                if (record.getLeavingTransaction() != 0 && !isAsked(context, name)) {
                    if (!found.isEmpty() && !context.leavingAskedUpTo().isEmpty()) {
                        return new Page(found, true);
                    }
                    leaving.add(MoveMarks.leaving(directory, name, record));
                } else if (entry != null) {
                    found.add(new Named(name, entry));
                    bytes += cursor.value().length;
                }
            }
        }
        if (!leaving.isEmpty()) {
            String upTo = leaving.get(leaving.size() - 1).name();
            throw new UnsettledException(new EntriesLeaving(leaving, upTo));
        }
        if (found.isEmpty() && arrival != null) {
            throw new UnsettledException(new EntriesNotArrived(
                    directory,
                    next(arrival.getUpTo()),
                    spread,
                    resolved.handle().getWideningFrom()));
        }
        return new Page(found, isCut);
    }

    private static boolean isAsked(RequestContext context, String name) {
        return Arrivals.compare(name, context.leavingAskedUpTo()) <= 0;
    }

    /** The first name after {@code name} that there could be. */
    private static String next(String name) {
        return name + "\0";
    }
}
