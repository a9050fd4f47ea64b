package io.tatami.meta.op.reclaim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.Marker;
import io.tatami.meta.state.wire.ReclaimEntriesReply;
import io.tatami.meta.state.wire.ReclaimEntriesRequest;
import io.tatami.meta.state.wire.ReclaimRecord;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The directory of {@link FileShard} is gone and queued under the number 1. */
final class ReclaimEntriesTest {
    private final FileShard shard = new FileShard();

    private void queueDirectory() {
        shard.change(state -> state.addReclaim(ReclaimRecord.newBuilder()
                .setDirectoryId(FileShard.HOME.value())
                .build()));
    }

    @Test
    void filesGoWithTheirBlocksAndAtLastTheSliceAndTheQueuedDirectory() throws Exception {
        FileId file = shard.written("f", 10);
        BlockRecord block = shard.state().blocks(file).get(0);
        shard.change(state -> state.entries()
                .changeRecord(
                        FileShard.HOME,
                        "marked",
                        EntryRecord.newBuilder()
                                .setMarker(Marker.newBuilder().setDirectoryId(77))
                                .build()));
        queueDirectory();
        ReclaimEntriesReply reply = reclaim(10);
        assertTrue(reply.getDone());
        assertEquals(2, reply.getRemoved());
        assertNull(shard.state().entry(FileShard.HOME, "f"));
        assertNull(shard.state().entry(FileShard.HOME, "marked"));
        assertNull(shard.state().home(file));
        assertEquals(DirectorySliceRecord.getDefaultInstance(), shard.state().slice(FileShard.HOME));
        assertNull(shard.state().reclaim(1));
        ReclaimRecord queued = Objects.requireNonNull(shard.state().reclaim(2));
        assertEquals(block.getBlockId(), queued.getBlockId());
        assertEquals(block.getServerIdList(), queued.getServerIdList());
    }

    @Test
    void oneCallRemovesNoMoreThanItsLimit() throws Exception {
        for (int i = 0; i < 5; i++) {
            shard.inline("f" + i, "content");
        }
        queueDirectory();
        ReclaimEntriesReply reply = reclaim(2);
        assertFalse(reply.getDone());
        assertEquals(2, reply.getRemoved());
        assertEquals(3, shard.state().slice(FileShard.HOME).getFiles());
        assertFalse(reclaim(2).getDone());
        assertTrue(reclaim(2).getDone());
    }

    /** It may have left before the directory went. */
    @Test
    void entryThatIsBeingRenamedWaitsForTheEndOfTheRename() throws Exception {
        FileId file = shard.inline("f", "content");
        shard.inline("g", "content");
        mark(9);
        queueDirectory();
        ReclaimEntriesReply reply = reclaim(10);
        assertFalse(reply.getDone());
        assertEquals(1, reply.getRemoved());
        assertNotNull(shard.state().entry(FileShard.HOME, "f"));
        assertNotNull(shard.state().home(file));
        assertNotNull(shard.state().reclaim(1));
        mark(0);
        assertTrue(reclaim(10).getDone());
        assertNull(shard.state().home(file));
    }

    @Test
    void entriesOfOtherDirectoriesStay() throws Exception {
        shard.inline("f", "content");
        DirectoryId other = new DirectoryId(FileShard.HOME.value() + 1);
        shard.change(state -> state.entries().changeName(other, "g", EntryRecord.getDefaultInstance(), 1_000));
        queueDirectory();
        assertTrue(reclaim(10).getDone());
        assertNotNull(shard.state().entry(other, "g"));
    }

    @Test
    void repeatedCallIsDoneAndChangesNothing() throws Exception {
        shard.inline("f", "content");
        queueDirectory();
        assertTrue(reclaim(10).getDone());
        MemoryView before = shard.store().copy();
        ReclaimEntriesReply again = reclaim(10);
        assertTrue(again.getDone());
        assertEquals(0, again.getRemoved());
        assertTrue(shard.store().sameAs(before));
    }

    private void mark(long transaction) {
        shard.change(state -> state.entries()
                .changeRecord(
                        FileShard.HOME,
                        "f",
                        Objects.requireNonNull(state.entry(FileShard.HOME, "f")).toBuilder()
                                .setLeavingTransaction(transaction)
                                .build()));
    }

    private ReclaimEntriesReply reclaim(int limit) throws Exception {
        return shard.run(
                new ReclaimEntries(),
                ReclaimEntriesRequest.newBuilder().setNumber(1).setLimit(limit).build());
    }
}
