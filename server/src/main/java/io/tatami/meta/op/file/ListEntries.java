package io.tatami.meta.op.file;

import io.tatami.base.DirectoryId;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.gate.Rights.Sight;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.ListReply;
import io.tatami.protocol.wire.ListRequest;
import io.tatami.protocol.wire.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A page of this shard's entries of a directory, by name in the order of UTF-8 bytes. Entries that are leaving are settled
 * first, so that whoever renamed a file does not find it listed under its old name; of those that are arriving the share's
 * count of moves tells the reader that it has to look again. Changes nothing.
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
        List<Named> page = scan(state, place.directory(), request.getAfter(), limit + 1);
        ListReply.Builder reply = ListReply.newBuilder()
                .setMore(page.size() > limit)
                .setMoves(state.share(place.directory()).getMoves());
        int blocks = 0;
        for (Named named : page.subList(0, Math.min(limit, page.size()))) {
            Sight sight = request.getWithLocations() ? Sight.LOCATIONS : Sight.LENGTH;
            Status.Builder status = FileStatus.complete(
                    state, FileStatus.of(place.caller(), named.name(), named.entry()), named.entry(), sight);
            FileStatus.addRight(handles.rights(), state, context, place.caller(), named.entry(), sight, status);
            reply.addStatus(status);
            blocks += status.getBlockCount();
            if (blocks > BLOCKS_MAX) {
                return reply.setMore(reply.getStatusCount() < page.size()).build();
            }
        }
        return reply.build();
    }

    private static List<Named> scan(ShardState state, DirectoryId directory, String after, int count)
            throws UnsettledException {
        byte[] first = Keys.entry(directory, after);
        byte[] from = after.isEmpty() ? first : Arrays.copyOf(first, first.length + 1);
        List<Named> found = new ArrayList<>();
        try (View.Cursor cursor = state.draft().scan(from, Keys.after(Keys.entries(directory)))) {
            while (found.size() < count && cursor.next()) {
                String name = Keys.nameOf(cursor.key());
                EntryRecord record = ShardState.parse(cursor.value(), EntryRecord.parser());
                MoveMarks.requireReadable(directory, name, record);
                EntryRecord entry = MoveMarks.standing(record);
                if (entry != null) {
                    found.add(new Named(name, entry));
                }
            }
        }
        return found;
    }
}
