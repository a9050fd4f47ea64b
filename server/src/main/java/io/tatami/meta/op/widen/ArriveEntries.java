package io.tatami.meta.op.widen;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.Check;
import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.rename.HomeName;
import io.tatami.meta.op.rename.RenameRules;
import io.tatami.meta.state.Entries;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.Arrival;
import io.tatami.meta.state.wire.ArriveEntriesRequest;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.GiveEntriesReply;
import java.util.ArrayList;
import java.util.List;

/**
 * At the shard that gets a part of a directory: takes what the other one gave, together with the name up to which all
 * has arrived. From this batch on the entries are here for everybody, and their homes are told. Without effect where
 * something else has arrived since it was asked for. Names that were fetched ahead ({@link ArriveEntry}) are passed
 * over: they may have been changed or removed here since. While this goes on, the share counts as moving.
 */
public final class ArriveEntries implements Operation<ShardState, ArriveEntriesRequest, Arrival> {
    @Override
    public Arrival decide(ShardState state, RequestContext context, ArriveEntriesRequest request) {
        DirectoryId directory = new DirectoryId(request.getDirectoryId());
        Arrival before = Arrivals.arrival(state, directory, request.getSpread());
        if (before.getSpread() != request.getSpread()
                || before.getComplete()
                || !before.getUpTo().equals(request.getAfter())) {
            return before;
        }
        DirectorySliceRecord fetched = before.getFetched();
        for (GiveEntriesReply.Entry given : request.getGiven().getEntryList()) {
            EntryRecord entry = parsed(given);
            if (state.isFetched(directory, given.getName())) {
                fetched = Entries.sumsWith(fetched, entry, -1);
            } else {
                put(state, directory, given.getName(), entry);
            }
        }
        forgetFetched(state, directory, request.getGiven());
        Arrival.Builder after = before.toBuilder()
                .setDroppedUpTo(request.getAfter())
                .setComplete(!request.getGiven().getMore())
                .setFetched(fetched);
        if (!request.getGiven().getUpTo().isEmpty()) {
            after.setUpTo(request.getGiven().getUpTo());
        }
        return record(state, directory, after.build());
    }

    /** Of names up to which all is here it need not be known any more that they were fetched ahead. */
    private static void forgetFetched(ShardState state, DirectoryId directory, GiveEntriesReply given) {
        byte[] from = Keys.fetched(directory);
        byte[] to = given.getMore() ? Keys.fetched(directory, given.getUpTo() + "\0") : Keys.after(from);
        List<String> passed = new ArrayList<>();
        try (View.Cursor cursor = state.draft().scan(from, to)) {
            while (cursor.next()) {
                passed.add(Keys.nameOf(cursor.key()));
            }
        }
        passed.forEach(name -> state.removeFetched(directory, name));
    }

    /** The entry that was given. */
    static EntryRecord parsed(GiveEntriesReply.Entry given) {
        try {
            return EntryRecord.parseFrom(given.getEntry());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("another shard gave an entry that does not parse", e);
        }
    }

    /** Takes one entry. */
    static void put(ShardState state, DirectoryId directory, String name, EntryRecord record) {
        EntryRecord standing = MoveMarks.standing(record);
        if (standing == null) {
            return;
        }
        Check.check(
                state.entry(directory, name) == null, "%s/%s was given to this shard, which has it", directory, name);
        EntryRecord entry = HomeName.current(state, RenameRules.renamed(standing));
        HomeName.followHere(state, directory, name, entry);
        state.entries().changeRecord(directory, name, entry);
    }

    /** Records what has arrived, and returns it. */
    static Arrival record(ShardState state, DirectoryId directory, Arrival arrival) {
        state.entries().putArrival(directory, arrival);
        return arrival;
    }
}
