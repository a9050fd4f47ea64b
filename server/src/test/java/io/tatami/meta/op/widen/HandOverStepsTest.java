package io.tatami.meta.op.widen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.reclaim.ReclaimDirectories;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.Arrival;
import io.tatami.meta.state.wire.ArrivalRequest;
import io.tatami.meta.state.wire.ArriveEntriesRequest;
import io.tatami.meta.state.wire.ArriveEntryRequest;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.Marker;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.GiveEntriesReply;
import io.tatami.protocol.wire.GiveEntriesRequest;
import io.tatami.protocol.wire.ReclaimDirectoriesRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The steps by which one shard takes half of a directory from another, in orders that a network makes of them. */
final class HandOverStepsTest {
    private static final int SHARDS = 2;
    private static final int NAMES = 40;
    private static final RequestContext CONTEXT =
            new RequestContext(new Caller("servers", List.of(), true), SessionId.NONE, 5_000);

    private final DirectoryId directory = directoryIn(0);
    private final MemoryView giver = store(0);
    private final MemoryView receiver = store(1);

    /** In the order in which a shard has them. */
    private final List<String> theirs = new ArrayList<>();

    @BeforeEach
    void fill() {
        on(giver, state -> {
            for (int i = 0; i < NAMES; i++) {
                String name = "n" + (char) ('A' + i);
                FileId file = state.mintFile();
                EntryRecord entry = EntryRecord.newBuilder()
                        .setFile(FileEntry.newBuilder()
                                .setFileId(file.value())
                                .setLength(10)
                                .setReplication(1))
                        .build();
                state.entries().changeName(directory, name, entry, 1);
                state.putHome(
                        file,
                        HomeRecord.newBuilder().setName(name).setLength(10).build());
                if (Placement.shardOf(directory, name, 2, SHARDS).shard() == 1) {
                    theirs.add(name);
                }
            }
        });
        assertTrue(theirs.size() > 5, theirs + " are too few for this test");
    }

    private interface Change {
        void on(ShardState state);
    }

    private static void on(MemoryView store, Change change) {
        Draft draft = new Draft(store);
        change.on(new ShardState(draft));
        store.apply(draft);
    }

    private static <Q extends Message, R extends Message> R decide(
            MemoryView store, Operation<ShardState, Q, R> operation, Q request)
            throws TatamiException, UnsettledException {
        Draft draft = new Draft(store);
        R reply = operation.decide(new ShardState(draft), CONTEXT, request);
        store.apply(draft);
        return reply;
    }

    private static ShardState state(MemoryView store) {
        return new ShardState(new Draft(store));
    }

    private Arrival arrival() {
        return Arrivals.arrival(state(receiver), directory, 2);
    }

    private GiveEntriesRequest request() {
        Arrival arrival = arrival();
        return GiveEntriesRequest.newBuilder()
                .setDirectoryId(directory.value())
                .setSpread(2)
                .setToGroup(1)
                .setArrivedUpTo(arrival.getUpTo())
                .setDroppedUpTo(arrival.getDroppedUpTo())
                .setComplete(arrival.getComplete())
                .build();
    }

    private GiveEntriesReply give(GiveEntriesRequest request) throws TatamiException, UnsettledException {
        return decide(giver, new GiveEntries(7), request);
    }

    private Arrival arrive(String after, GiveEntriesReply given) throws TatamiException, UnsettledException {
        return decide(
                receiver,
                new ArriveEntries(),
                ArriveEntriesRequest.newBuilder()
                        .setDirectoryId(directory.value())
                        .setSpread(2)
                        .setAfter(after)
                        .setGiven(given)
                        .build());
    }

    private void handOver() throws TatamiException, UnsettledException {
        while (!arrival().getComplete()) {
            String after = arrival().getUpTo();
            arrive(after, give(request()));
        }
        give(request());
        decide(
                receiver,
                new EndArrival(),
                ArrivalRequest.newBuilder()
                        .setDirectoryId(directory.value())
                        .setSpread(2)
                        .build());
    }

    private List<String> names(MemoryView store) {
        List<String> names = new ArrayList<>();
        byte[] prefix = Keys.entries(directory);
        try (View.Cursor cursor = store.scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                names.add(Keys.nameOf(cursor.key()));
            }
        }
        return names;
    }

    private void assertHandedOver() {
        assertEquals(theirs, names(receiver));
        assertEquals(NAMES - theirs.size(), names(giver).size());
        assertEquals(theirs.size(), state(receiver).slice(directory).getFiles());
        assertEquals(10L * theirs.size(), state(receiver).slice(directory).getBytes());
        assertEquals(NAMES - theirs.size(), state(giver).slice(directory).getFiles());
        assertEquals(0, state(receiver).slice(directory).getMoving());
        assertTrue(arrival().getEnded());
    }

    @Test
    void everyEntryEndsInItsShardAndItsHomeIsTold() throws TatamiException, UnsettledException {
        handOver();
        assertHandedOver();
        int told = 0;
        byte[] prefix = Keys.kind('o');
        try (View.Cursor cursor = receiver.scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                told++;
            }
        }
        assertEquals(theirs.size(), told);
        assertTrue(Arrivals.isGiven(state(giver), directory, theirs.get(0)));
    }

    @Test
    void whatHasNotArrivedIsStillAtTheGiver() throws TatamiException, UnsettledException {
        GiveEntriesReply first = give(request());
        assertTrue(first.getMore());
        assertEquals(NAMES, names(giver).size());
        arrive("", first);
        assertEquals(NAMES, names(giver).size());
        give(request());
        assertEquals(NAMES - first.getEntryCount(), names(giver).size());
        assertEquals(1, state(receiver).slice(directory).getMoving());
    }

    @Test
    void stepsThatComeTwiceOrLateChangeNothing() throws TatamiException, UnsettledException {
        GiveEntriesRequest firstRequest = request();
        GiveEntriesReply first = give(firstRequest);
        assertEquals(first, give(firstRequest));
        arrive("", first);
        GiveEntriesRequest secondRequest = request();
        GiveEntriesReply second = give(secondRequest);
        assertEquals(second, give(secondRequest));
        arrive(secondRequest.getArrivedUpTo(), second);
        arrive("", first);
        arrive(secondRequest.getArrivedUpTo(), second);
        give(firstRequest);
        give(secondRequest);
        handOver();
        give(firstRequest);
        give(secondRequest);
        arrive("", first);
        assertHandedOver();
    }

    @Test
    void whatTheReceiverDeletedDoesNotComeBack() throws TatamiException, UnsettledException {
        GiveEntriesReply first = give(request());
        arrive("", first);
        String deleted = first.getEntry(0).getName();
        on(receiver, state -> {
            state.entries().changeName(directory, deleted, null, 6_000);
        });
        handOver();
        theirs.remove(deleted);
        assertEquals(theirs, names(receiver));
        assertFalse(names(giver).contains(deleted));
    }

    private GiveEntriesRequest requestOf(String name) {
        return GiveEntriesRequest.newBuilder()
                .setDirectoryId(directory.value())
                .setSpread(2)
                .setToGroup(1)
                .setName(name)
                .build();
    }

    private void arriveAhead(String name, GiveEntriesReply given) throws TatamiException, UnsettledException {
        decide(
                receiver,
                new ArriveEntry(),
                ArriveEntryRequest.newBuilder()
                        .setDirectoryId(directory.value())
                        .setSpread(2)
                        .setName(name)
                        .setGiven(given)
                        .build());
    }

    @Test
    void aNameIsFetchedAheadOfItsTurnAndComesOnce() throws TatamiException, UnsettledException {
        String last = theirs.get(theirs.size() - 1);
        GiveEntriesReply given = give(requestOf(last));
        assertEquals(1, given.getEntryCount());
        arriveAhead(last, given);
        arriveAhead(last, given);
        Arrivals.requireHere(state(receiver), directory, last, 2, 1);
        assertThrows(
                UnsettledException.class, () -> Arrivals.requireHere(state(receiver), directory, theirs.get(0), 2, 1));
        assertEquals(List.of(last), names(receiver));
        assertEquals(NAMES, names(giver).size());
        assertEquals(1, state(receiver).slice(directory).getMoving());
        handOver();
        assertHandedOver();
        assertFalse(state(receiver).isFetched(directory, last));
        arriveAhead(last, given);
        assertHandedOver();
    }

    @Test
    void whatWasFetchedAheadAndDeletedDoesNotComeBack() throws TatamiException, UnsettledException {
        String deleted = theirs.get(2);
        GiveEntriesReply given = give(requestOf(deleted));
        arriveAhead(deleted, given);
        on(receiver, state -> {
            state.entries().changeName(directory, deleted, null, 6_000);
        });
        arriveAhead(deleted, given);
        handOver();
        arriveAhead(deleted, given);
        theirs.remove(deleted);
        assertEquals(theirs, names(receiver));
        assertFalse(names(giver).contains(deleted));
    }

    @Test
    void whatComesLateIsThrownAwayOnceTheDirectoryIsReclaimed() throws TatamiException, UnsettledException {
        String name = theirs.get(2);
        GiveEntriesReply ahead = give(requestOf(name));
        GiveEntriesReply first = give(request());
        handOver();
        reclaim(giver);
        reclaim(receiver);
        arriveAhead(name, ahead);
        arrive("", first);
        assertEquals(List.of(), names(receiver));
        assertFalse(state(receiver).isFetched(directory, name));
        assertFalse(state(receiver).slice(directory).hasArrival());
        assertTrue(arrival().getEnded());
        give(requestOf(name));
        assertEquals(DirectorySliceRecord.getDefaultInstance(), state(giver).slice(directory));
    }

    private void reclaim(MemoryView store) throws TatamiException, UnsettledException {
        decide(
                store,
                new ReclaimDirectories(),
                ReclaimDirectoriesRequest.newBuilder()
                        .addDirectoryId(directory.value())
                        .build());
        List<String> names = names(store);
        on(store, state -> {
            names.forEach(each -> state.entries().changeRecord(directory, each, null));
            state.removeSlice(directory);
        });
    }

    @Test
    void aNameThatNothingHasIsFetchedToo() throws TatamiException, UnsettledException {
        String absent = theirs.get(3) + "x";
        GiveEntriesReply nothing = give(requestOf(absent));
        assertEquals(0, nothing.getEntryCount());
        arriveAhead(absent, nothing);
        Arrivals.requireHere(state(receiver), directory, absent, 2, 1);
        assertTrue(Arrivals.isGiven(state(giver), directory, theirs.get(0)), "nobody puts anything there any more");
        handOver();
        assertHandedOver();
    }

    @Test
    void entryThatIsBeingRenamedIsSettledFirst() {
        String renamed = theirs.get(0);
        on(
                giver,
                state -> state.entries()
                        .changeRecord(
                                directory,
                                renamed,
                                Objects.requireNonNull(state.entry(directory, renamed)).toBuilder()
                                        .setLeavingTransaction(9)
                                        .build()));
        assertThrows(UnsettledException.class, () -> give(request()));
        assertThrows(UnsettledException.class, () -> give(requestOf(renamed)));
    }

    @Test
    void markersGoAlong() throws TatamiException, UnsettledException {
        String marked = theirs.get(0) + "d";
        boolean isTheirs = Placement.shardOf(directory, marked, 2, SHARDS).shard() == 1;
        on(
                giver,
                state -> state.entries()
                        .changeRecord(
                                directory,
                                marked,
                                EntryRecord.newBuilder()
                                        .setMarker(Marker.newBuilder().setDirectoryId(77))
                                        .build()));
        handOver();
        assertEquals(isTheirs, names(receiver).contains(marked));
        assertEquals(!isTheirs, names(giver).contains(marked));
    }

    @Test
    void namesAreForTheReceiverAsFarAsTheyHaveArrived() throws TatamiException, UnsettledException {
        assertThrows(
                UnsettledException.class, () -> Arrivals.requireHere(state(receiver), directory, theirs.get(0), 2, 1));
        Arrivals.requireHere(state(giver), directory, names(giver).get(0), 2, 1);
        arrive("", give(request()));
        Arrivals.requireHere(state(receiver), directory, theirs.get(0), 2, 1);
        assertThrows(
                UnsettledException.class,
                () -> Arrivals.requireHere(state(receiver), directory, theirs.get(theirs.size() - 1), 2, 1));
        handOver();
        for (String name : theirs) {
            Arrivals.requireHere(state(receiver), directory, name, 2, 1);
        }
    }

    private static MemoryView store(int shard) {
        MemoryView store = new MemoryView();
        Draft format = new Draft(store);
        format.put(
                Keys.singleton("group"),
                GroupRecord.newBuilder()
                        .setGroup(shard)
                        .setShards(SHARDS)
                        .build()
                        .toByteArray());
        store.apply(format);
        return store;
    }

    private static DirectoryId directoryIn(int shard) {
        for (long id = 2; ; id++) {
            DirectoryId directory = new DirectoryId(id);
            if (Placement.shardOf(directory, "", 1, SHARDS).equals(GroupId.ofShard(shard))) {
                return directory;
            }
        }
    }
}
