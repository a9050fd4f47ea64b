package io.tatami.meta.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.tatami.base.DirectoryId;
import io.tatami.meta.state.wire.Arrival;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.Marker;
import io.tatami.meta.state.wire.SymlinkEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class EntriesTest {
    private static final DirectoryId DIRECTORY = new DirectoryId(5);

    private final MemoryView store = new MemoryView();

    private interface Change {
        void on(Entries entries);
    }

    private void change(Change change) {
        Draft draft = new Draft(store);
        change.on(new ShardState(draft).entries());
        store.apply(draft);
    }

    private DirectorySliceRecord slice() {
        return new ShardState(new Draft(store)).slice(DIRECTORY);
    }

    private static EntryRecord file(long length, int replication) {
        return EntryRecord.newBuilder()
                .setFile(FileEntry.newBuilder().setLength(length).setReplication(replication))
                .build();
    }

    /** Whatever is put, changed and removed under some names, the sums are those of a count. */
    @Test
    void anyMixOfChangesLeavesTheSumsOfACount() {
        Random random = new Random(20261128);
        for (int i = 0; i < 2_000; i++) {
            String name = "n" + random.nextInt(20);
            EntryRecord after = anyRecord(random);
            if (random.nextBoolean()) {
                change(entries -> entries.changeName(DIRECTORY, name, after, random.nextInt(1_000)));
            } else {
                change(entries -> entries.changeRecord(DIRECTORY, name, after));
            }
            DirectorySliceRecord kept = slice();
            DirectorySliceRecord sums = DirectorySliceRecord.newBuilder()
                    .setFiles(kept.getFiles())
                    .setBytes(kept.getBytes())
                    .setSpaceConsumed(kept.getSpaceConsumed())
                    .setSymlinks(kept.getSymlinks())
                    .setMoving(kept.getMoving())
                    .build();
            assertEquals(counted(), sums, "after change " + i);
        }
    }

    @Test
    void anEntryThatWasReadIsNotLookedUpAgainToBeChanged() {
        List<byte[]> lookedUp = new ArrayList<>();
        ShardState state = new ShardState(new Draft(Layer.lookups(store, key -> {
            lookedUp.add(key);
            return store.get(key);
        })));
        byte[] key = Keys.entry(DIRECTORY, "a");
        assertNull(state.entry(DIRECTORY, "a"));
        state.entries().changeName(DIRECTORY, "a", file(5, 1), 1);
        assertEquals(
                1, lookedUp.stream().filter(each -> Arrays.equals(key, each)).count());
    }

    @Test
    void anEntryThatChangedSinceItWasReadIsLookedUpAgain() {
        change(entries -> entries.changeName(DIRECTORY, "a", file(5, 1), 1));
        change(entries -> entries.changeName(DIRECTORY, "b", file(30, 1), 1));
        Draft draft = new Draft(store);
        ShardState state = new ShardState(draft);
        assertEquals(file(5, 1), state.entry(DIRECTORY, "a"));
        Draft nested = new Draft(draft);
        new ShardState(nested).entries().changeName(DIRECTORY, "a", null, 2);
        nested.mergeInto(draft);
        state.entries().changeName(DIRECTORY, "a", file(7, 1), 3);
        state.entries().changeName(DIRECTORY, "b", null, 4);
        state.entries().changeName(DIRECTORY, "a", file(9, 1), 5);
        assertEquals(9, state.slice(DIRECTORY).getBytes());
        assertEquals(1, state.slice(DIRECTORY).getFiles());
    }

    private static @Nullable EntryRecord anyRecord(Random random) {
        EntryRecord.Builder record = switch (random.nextInt(5)) {
            case 0 -> null;
            case 1 -> EntryRecord.newBuilder().setMarker(Marker.getDefaultInstance());
            case 2 -> EntryRecord.newBuilder().setSymlink(SymlinkEntry.getDefaultInstance());
            case 3 -> EntryRecord.newBuilder().setArrivingTransaction(1 + random.nextInt(5));
            default -> file(random.nextInt(100), 1 + random.nextInt(3)).toBuilder();
        };
        if (record == null) {
            return null;
        }
        return random.nextInt(3) == 0 ? record.setLeavingTransaction(7).build() : record.build();
    }

    private DirectorySliceRecord counted() {
        DirectorySliceRecord.Builder sums = DirectorySliceRecord.newBuilder();
        byte[] range = Keys.entries(DIRECTORY);
        try (View.Cursor cursor = store.scan(range, Keys.after(range))) {
            while (cursor.next()) {
                EntryRecord entry = Records.parse(cursor.value(), EntryRecord.parser());
                FileEntry file = entry.getFile();
                sums.setFiles(sums.getFiles() + (entry.hasFile() ? 1 : 0));
                sums.setBytes(sums.getBytes() + file.getLength());
                sums.setSpaceConsumed(sums.getSpaceConsumed() + file.getLength() * file.getReplication());
                sums.setSymlinks(sums.getSymlinks() + (entry.hasSymlink() ? 1 : 0));
                boolean isMoving = entry.getLeavingTransaction() != 0 || entry.getArrivingTransaction() != 0;
                sums.setMoving(sums.getMoving() + (isMoving ? 1 : 0));
            }
        }
        return sums.build();
    }

    @Test
    void aNameThatComesMovesTheTimesAndARecordThatChangesDoesNot() {
        change(entries -> entries.changeName(DIRECTORY, "a", file(10, 2), 50));
        change(entries -> entries.changeRecord(DIRECTORY, "a", file(30, 2)));
        assertEquals(
                DirectorySliceRecord.newBuilder()
                        .setFiles(1)
                        .setBytes(30)
                        .setSpaceConsumed(60)
                        .setLastChangeMillis(50)
                        .setChanges(1)
                        .build(),
                slice());
        change(entries -> entries.changeName(DIRECTORY, "a", null, 40));
        assertEquals(
                DirectorySliceRecord.newBuilder()
                        .setLastChangeMillis(50)
                        .setChanges(2)
                        .build(),
                slice());
    }

    @Test
    void aMarkOfAMoveIsCountedWhenItComesAndWhenItGoes() {
        EntryRecord entry = file(10, 1);
        change(entries -> entries.changeRecord(DIRECTORY, "a", entry));
        change(entries -> entries.changeRecord(
                DIRECTORY, "a", entry.toBuilder().setLeavingTransaction(3).build()));
        assertEquals(1, slice().getMoves());
        assertEquals(1, slice().getMoving());
        change(entries -> entries.changeRecord(DIRECTORY, "a", null));
        assertEquals(2, slice().getMoves());
        assertEquals(0, slice().getMoving());
    }

    @Test
    void aMarkerLeavesNoSliceBehind() {
        EntryRecord marker =
                EntryRecord.newBuilder().setMarker(Marker.getDefaultInstance()).build();
        change(entries -> entries.changeRecord(DIRECTORY, "d", marker));
        assertEquals(DirectorySliceRecord.getDefaultInstance(), slice());
        assertEquals(null, store.get(Keys.slice(DIRECTORY)));
    }

    @Test
    void anArrivalCountsAsMovingUntilItHasEnded() {
        Arrival begun = Arrival.newBuilder().setSpread(2).build();
        change(entries -> entries.putArrival(DIRECTORY, begun));
        change(entries -> entries.putArrival(
                DIRECTORY, begun.toBuilder().setComplete(true).build()));
        assertEquals(1, slice().getMoving());
        change(entries -> entries.putArrival(
                DIRECTORY, begun.toBuilder().setComplete(true).setEnded(true).build()));
        assertEquals(0, slice().getMoving());
    }
}
