package io.tatami.meta.log.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.EntryFormat;
import io.tatami.meta.log.LogEntry;
import io.tatami.meta.log.ReplicaCluster;
import io.tatami.meta.state.Changes;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.state.wire.ReplicatedEntry;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import io.tatami.meta.store.StoreSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import org.apache.ratis.server.protocol.TermIndex;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a replica takes, refuses and stops at, without Raft. */
final class EntryApplierTest {
    @TempDir
    private Path directory = Path.of("");

    private final StoreMemory memory = new StoreMemory(new StoreSettings(16 << 20, 8 << 20, 64, 1));
    private final EntryApplier applier = new EntryApplier();
    private List<GroupStore> opened = List.of();

    @BeforeEach
    void openStore() throws TatamiException {
        opened = List.of(GroupStore.openOrCreate(directory.resolve("store"), memory));
    }

    @AfterEach
    void closeStore() {
        opened.forEach(GroupStore::close);
        memory.close();
    }

    private GroupStore store() {
        return opened.get(0);
    }

    private static List<ReplicatedEntry> parts(ProgressRecord decidedOn, long index, String... values) {
        NavigableMap<byte[], Draft.Change> changes = Changes.noChanges();
        for (int i = 0; i < values.length; i++) {
            changes.put(("e" + i).getBytes(UTF_8), new Draft.Change(values[i].getBytes(UTF_8)));
        }
        return EntryFormat.parts(new LogEntry(index, 1_000 + index, changes), decidedOn);
    }

    private boolean apply(ReplicatedEntry part, long term, long raftIndex) throws TatamiException {
        return applier.apply(store(), part, TermIndex.valueOf(term, raftIndex), TermIndex.valueOf(term, raftIndex - 1));
    }

    private String read(String key) {
        return ReplicaCluster.read(store(), key);
    }

    @Test
    void anEntryIsAppliedOnceAlsoWhenTheLogIsReadAgain() throws TatamiException {
        ReplicatedEntry first = parts(store().progress(), 1, "a").get(0);
        assertTrue(apply(first, 1, 4));
        assertTrue(apply(first, 1, 4));
        assertEquals(1, store().appliedIndex());
        assertEquals(4, store().progress().getRaftIndex());
        assertEquals("a", read("e0"));
    }

    @Test
    void anEntryThatWasOvertakenChangesNothing() throws TatamiException {
        ProgressRecord empty = store().progress();
        assertTrue(apply(parts(empty, 1, "a").get(0), 2, 4));
        ProgressRecord before = store().progress();
        assertFalse(apply(parts(empty, 1, "b").get(0), 2, 5));
        assertEquals(before, store().progress());
        assertEquals("a", read("e0"));
        assertTrue(apply(parts(before, 2, "c").get(0), 2, 6));
        assertEquals("c", read("e0"));
    }

    @Test
    void anotherHashOrPlaceOrAGapIsAReplicaThatCameApart() throws TatamiException {
        ProgressRecord empty = store().progress();
        assertTrue(apply(parts(empty, 1, "a").get(0), 1, 4));
        ProgressRecord now = store().progress();
        List<ReplicatedEntry> wrong = List.of(
                parts(now.toBuilder().setStateHash(now.getStateHash() + 1).build(), 2, "b")
                        .get(0),
                parts(now.toBuilder().setRaftIndex(3).build(), 2, "b").get(0),
                parts(now, 3, "b").get(0),
                parts(now, 1, "b").get(0));
        for (ReplicatedEntry entry : wrong) {
            TatamiException found = assertThrows(TatamiException.class, () -> apply(entry, 1, 5));
            assertEquals(ErrorCode.CORRUPT, found.code());
            assertEquals(now, store().progress());
        }
    }

    @Test
    void partsCountWhenTheLastIsThereAndNotWithoutTheFirst() throws TatamiException {
        String first = "x".repeat(EntryFormat.PART_BYTES);
        String half = "x".repeat(EntryFormat.PART_BYTES / 2);
        List<ReplicatedEntry> parts = parts(store().progress(), 1, first, "y", half);
        assertEquals(2, parts.size());
        TermIndex before = TermIndex.valueOf(1, 3);
        assertFalse(apply(parts.get(1), 1, 3));
        assertTrue(apply(parts.get(0), 1, 4));
        assertEquals(before, applier.settled(TermIndex.valueOf(1, 4)));
        assertEquals(0, store().appliedIndex());
        // The next leader begins anew; the rest of the one before it comes too late.
        assertTrue(apply(parts.get(0), 2, 5));
        assertTrue(apply(parts.get(1), 2, 6));
        assertEquals(TermIndex.valueOf(2, 6), applier.settled(TermIndex.valueOf(2, 6)));
        assertFalse(apply(parts.get(1), 2, 7));
        assertEquals(1, store().appliedIndex());
        assertEquals(half, read("e2"));
    }
}
