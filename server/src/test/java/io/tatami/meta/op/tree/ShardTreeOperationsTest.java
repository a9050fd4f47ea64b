package io.tatami.meta.op.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.shard.Announce;
import io.tatami.meta.op.shard.ReserveMarker;
import io.tatami.meta.op.shard.SettleMarker;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TreeVersion;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.GateRecord;
import io.tatami.meta.state.wire.SymlinkEntry;
import io.tatami.protocol.wire.AnnounceRequest;
import io.tatami.protocol.wire.ReserveMarkerReply;
import io.tatami.protocol.wire.ReserveMarkerRequest;
import io.tatami.protocol.wire.SettleMarkerRequest;
import io.tatami.protocol.wire.Status;
import io.tatami.protocol.wire.TreeChange;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the tree tells a shard, also late, twice and out of order. */
class ShardTreeOperationsTest {
    private static final DirectoryId PARENT = new DirectoryId(5);
    private static final RequestContext CONTEXT =
            new RequestContext(new Caller("", List.of(), true), SessionId.NONE, 100);

    private final ShardState state = new ShardState(new Draft(new MemoryView()));

    @Test
    void announcedVersionsOnlyRise() {
        announce(TreeChange.newBuilder().setDirectoryId(5).setVersion(9));
        announce(TreeChange.newBuilder().setDirectoryId(5).setVersion(7));
        announce(TreeChange.newBuilder().setDirectoryId(5).setVersion(6).setSelfOnly(true));
        assertEquals(GateRecord.newBuilder().setVersion(9).setSelfVersion(6).build(), state.gate(PARENT));
        assertEquals(new TreeVersion(9), state.gateNewest());
    }

    @Test
    void raisedFloorForgetsOlderChangesOnly() {
        announce(TreeChange.newBuilder().setDirectoryId(5).setVersion(7));
        announce(TreeChange.newBuilder().setDirectoryId(6).setVersion(9));
        AnnounceRequest floor = AnnounceRequest.newBuilder().setFloor(8).build();
        new Announce().decide(state, CONTEXT, floor);
        new Announce().decide(state, CONTEXT, floor.toBuilder().setFloor(3).build());
        assertEquals(new TreeVersion(8), state.gateFloor());
        assertEquals(GateRecord.getDefaultInstance(), state.gate(PARENT));
        assertEquals(9, state.gate(new DirectoryId(6)).getVersion());
    }

    @Test
    void floorForgetsPageByPageHoweverMuchIsKnown() {
        int known = 2 * Announce.FORGET_MAX + 10;
        for (int id = 1; id <= known; id++) {
            announce(TreeChange.newBuilder().setDirectoryId(id).setVersion(id % 2 == 0 ? 5 : 9));
        }
        long after = 0;
        int pages = 0;
        do {
            int before = gates();
            after = new Announce()
                    .decide(
                            state,
                            CONTEXT,
                            AnnounceRequest.newBuilder()
                                    .setFloor(8)
                                    .setForgetAfter(after)
                                    .build())
                    .getForgetAfter();
            pages++;
            assertTrue(before - gates() <= Announce.FORGET_MAX / 2, "too much at once");
            assertEquals(new TreeVersion(8), state.gateFloor());
        } while (after != 0);
        assertEquals(3, pages);
        assertEquals(known / 2, gates());
    }

    private int gates() {
        int count = 0;
        try (View.Cursor cursor = state.draft().scan(Keys.kind('g'), Keys.after(Keys.kind('g')))) {
            while (cursor.next()) {
                count++;
            }
        }
        return count;
    }

    @Test
    void announcementTellsTheShareAndMayResetItsTimes() {
        EntryRecord file =
                EntryRecord.newBuilder().setFile(FileEntry.getDefaultInstance()).build();
        state.entries().changeName(PARENT, "a", file, 50);
        state.entries().changeName(PARENT, "b", file, 40);
        AnnounceRequest request = AnnounceRequest.newBuilder()
                .addChange(
                        TreeChange.newBuilder().setDirectoryId(5).setVersion(1).setResetTimes(true))
                .build();
        assertEquals(
                2, new Announce().decide(state, CONTEXT, request).getSlice(0).getFiles());
        assertEquals(0, state.slice(PARENT).getLastChangeMillis());
        assertEquals(2, state.slice(PARENT).getFiles());
    }

    @Test
    void reservationGivesWayToFilesAndLinks() throws TatamiException, UnsettledException {
        state.entries()
                .changeRecord(
                        PARENT,
                        "f",
                        EntryRecord.newBuilder()
                                .setFile(FileEntry.getDefaultInstance())
                                .build());
        state.entries()
                .changeRecord(
                        PARENT,
                        "l",
                        EntryRecord.newBuilder()
                                .setSymlink(SymlinkEntry.newBuilder().setTarget("/t"))
                                .build());
        assertEquals(Status.Kind.FILE, reserve("f", 10, 1).getTakenBy());
        assertTrue(reserve("f", 10, 1).getTaken());
        assertEquals("/t", reserve("l", 10, 1).getSymlinkTarget());
    }

    @Test
    void lateReservationDoesNotReplaceALaterOne() throws TatamiException, UnsettledException {
        reserve("d", 10, 4);
        reserve("d", 11, 6);
        reserve("d", 10, 4);
        assertEquals(11, marked("d"));
    }

    @Test
    void lateClearingDoesNotTouchALaterReservation() throws TatamiException, UnsettledException {
        reserve("d", 10, 4);
        settle("d", true, 5);
        assertNull(state.entry(PARENT, "d"));
        reserve("d", 11, 6);
        settle("d", true, 5);
        assertEquals(11, marked("d"));
        settle("d", false, 7);
        assertNotNull(state.entry(PARENT, "d"));
    }

    @Test
    void clearingNeverTakesAFile() {
        state.entries()
                .changeRecord(
                        PARENT,
                        "f",
                        EntryRecord.newBuilder()
                                .setFile(FileEntry.getDefaultInstance())
                                .build());
        settle("f", true, 100);
        assertNotNull(state.entry(PARENT, "f"));
    }

    @Test
    void askingReservesNothing() throws TatamiException, UnsettledException {
        ReserveMarkerRequest ask = request("d", 10, 4).setAskOnly(true).build();
        assertEquals(ReserveMarkerReply.getDefaultInstance(), new ReserveMarker().decide(state, CONTEXT, ask));
        assertNull(state.entry(PARENT, "d"));
    }

    @Test
    void movesAreSettledBeforeANameIsReserved() {
        state.entries()
                .changeRecord(
                        PARENT,
                        "d",
                        EntryRecord.newBuilder().setArrivingTransaction(77).build());
        assertThrows(UnsettledException.class, () -> reserve("d", 10, 4));
    }

    private void announce(TreeChange.Builder change) {
        new Announce()
                .decide(
                        state,
                        CONTEXT,
                        AnnounceRequest.newBuilder().addChange(change).build());
    }

    private ReserveMarkerReply reserve(String name, long directory, long version)
            throws TatamiException, UnsettledException {
        return new ReserveMarker()
                .decide(state, CONTEXT, request(name, directory, version).build());
    }

    private static ReserveMarkerRequest.Builder request(String name, long directory, long version) {
        return ReserveMarkerRequest.newBuilder()
                .setParentId(PARENT.value())
                .setName(name)
                .setDirectoryId(directory)
                .setVersion(version);
    }

    private void settle(String name, boolean clear, long version) {
        new SettleMarker()
                .decide(
                        state,
                        CONTEXT,
                        SettleMarkerRequest.newBuilder()
                                .setParentId(PARENT.value())
                                .setName(name)
                                .setClear(clear)
                                .setDirectoryId(99)
                                .setVersion(version)
                                .build());
    }

    private long marked(String name) {
        EntryRecord entry = state.entry(PARENT, name);
        return entry == null ? 0 : entry.getMarker().getDirectoryId();
    }
}
