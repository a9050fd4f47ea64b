package io.tatami.meta.op.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.meta.state.wire.ReplicaRecord;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/** What must hold of the files of a shard, whatever was done to them, while no name is in another shard. */
public final class FileInvariants {
    private final MemoryView store;
    private final ShardState state;
    private final Map<Long, Set<Integer>> reclaimed = new HashMap<>();
    private final Set<Long> blocksSeen = new HashSet<>();

    private FileInvariants(MemoryView store) {
        this.store = store;
        this.state = new ShardState(new Draft(store));
    }

    /** @param granted every block that was ever granted */
    public static void check(MemoryView store, Set<Long> granted) {
        FileInvariants invariants = new FileInvariants(store);
        invariants.each('q', (key, value) -> {
            ReclaimRecord item = ShardState.parse(value, ReclaimRecord.parser());
            invariants
                    .reclaimed
                    .computeIfAbsent(item.getBlockId(), absent -> new HashSet<>())
                    .addAll(item.getServerIdList());
        });
        invariants.checkEntries();
        invariants.checkHomes();
        invariants.checkLeases();
        invariants.checkReplicas();
        for (long block : granted) {
            assertTrue(
                    invariants.blocksSeen.contains(block) != invariants.isDropped(block),
                    "block " + block + " is in a file or waits to be reclaimed");
        }
    }

    private boolean isDropped(long block) {
        return state.fileOf(new BlockId(block)) == null && reclaimed.containsKey(block);
    }

    private void checkEntries() {
        Map<Long, DirectorySliceRecord.Builder> sums = new HashMap<>();
        each('e', (key, value) -> {
            EntryRecord entry = ShardState.parse(value, EntryRecord.parser());
            DirectorySliceRecord.Builder sum =
                    sums.computeIfAbsent(Keys.idOf(key), absent -> DirectorySliceRecord.newBuilder());
            if (entry.hasSymlink()) {
                sum.setSymlinks(sum.getSymlinks() + 1);
            }
            if (entry.hasFile()) {
                long length = entry.getFile().getLength();
                sum.setFiles(sum.getFiles() + 1)
                        .setBytes(sum.getBytes() + length)
                        .setSpaceConsumed(sum.getSpaceConsumed()
                                + length * entry.getFile().getReplication());
                checkNamed(new DirectoryId(Keys.idOf(key)), Keys.nameOf(key), entry);
            }
        });
        each('s', (key, value) -> {
            DirectorySliceRecord share = ShardState.parse(value, DirectorySliceRecord.parser());
            DirectorySliceRecord sum = sums.getOrDefault(Keys.idOf(key), DirectorySliceRecord.newBuilder())
                    .setLastChangeMillis(share.getLastChangeMillis())
                    .setChanges(share.getChanges())
                    .build();
            assertEquals(sum, share);
        });
    }

    private void checkNamed(DirectoryId directory, String name, EntryRecord entry) {
        HomeRecord home = state.home(new FileId(entry.getFile().getFileId()));
        assertNotNull(home, name);
        assertEquals(directory.value(), home.getParentId());
        assertEquals(name, home.getName());
        boolean unwritten = home.getState() == HomeRecord.State.UNWRITTEN;
        assertEquals(entry.getFile().getOpen(), !unwritten && home.getState() != HomeRecord.State.CLOSED, name);
        assertEquals(entry.getFile().getUnwrittenBy(), unwritten ? home.getWriterSession() : 0, name);
        assertEquals(entry.getFile().getContentVersion(), home.getContentVersion(), name);
        if (!entry.getFile().getOpen()) {
            assertEquals(entry.getFile().getLength(), home.getLength(), name);
            assertEquals(entry.getFile().getContentInline(), home.getContentInline(), name);
        }
        ByteString inline = state.inline(new FileId(entry.getFile().getFileId()));
        assertEquals(home.getContentInline(), inline != null, name);
        if (inline != null) {
            assertEquals(inline.size(), home.getLength(), name);
        }
    }

    private void checkHomes() {
        each('f', (key, value) -> {
            FileId file = new FileId(Keys.idOf(key));
            HomeRecord home = ShardState.parse(value, HomeRecord.parser());
            EntryRecord entry = state.entry(new DirectoryId(home.getParentId()), home.getName());
            assertNotNull(entry, home.getName());
            assertEquals(file.value(), entry.getFile().getFileId());
            assertEquals(home.getBlocks(), state.blocks(file).size());
            boolean open = false;
            long length = 0;
            for (BlockRecord block : state.blocks(file)) {
                assertTrue(blocksSeen.add(block.getBlockId()), "a block belongs to one file");
                assertEquals(file, state.fileOf(new BlockId(block.getBlockId())));
                assertFalse(open && !block.getOpen(), "no final block behind an open one");
                assertTrue(block.getIssuedGeneration() >= block.getGeneration());
                open |= block.getOpen();
                length += block.getLength();
            }
            assertTrue(home.getState() != HomeRecord.State.CLOSED || !open, "no open block in a closed file");
            if (!home.getContentInline()) {
                assertEquals(length, home.getLength(), home.getName());
            }
            if (home.getState() == HomeRecord.State.UNWRITTEN) {
                assertEquals(0, home.getBlocks() + home.getLength(), home.getName());
            } else if (home.getState() != HomeRecord.State.CLOSED) {
                assertNotNull(state.lease(new SessionId(home.getWriterSession()), file), "an open file has a lease");
            }
        });
    }

    private void checkLeases() {
        each('l', (key, value) -> {
            HomeRecord home = state.home(new FileId(Keys.secondIdOf(key)));
            assertNotNull(home, "no lease without a file");
            assertTrue(
                    home.getState() != HomeRecord.State.CLOSED && home.getState() != HomeRecord.State.UNWRITTEN,
                    "no lease without an open file");
            assertEquals(home.getWriterSession(), Keys.idOf(key));
        });
        each('~', (key, value) -> {
            HomeRecord home = state.home(new FileId(Keys.secondIdOf(key)));
            if (value.length > 0) {
                assertNotNull(home, "no first lease without a file");
                assertEquals(HomeRecord.State.UNWRITTEN, home.getState(), "no first lease on a file that was written");
                assertEquals(home.getWriterSession(), Keys.idOf(key));
            }
        });
    }

    /** Each server that a block names is known to hold it or to be about to, and no other is. */
    private void checkReplicas() {
        Map<Long, Set<Integer>> held = new HashMap<>();
        each('r', (key, value) -> {
            BlockId block = new BlockId(Keys.blockOfReplica(key));
            int server = ByteBuffer.wrap(key).getInt(1);
            held.computeIfAbsent(block.value(), absent -> new HashSet<>()).add(server);
            ReplicaRecord replica = state.replica(new ServerId(server), block);
            assertNotNull(replica);
            assertEquals(state.fileOf(block), new FileId(replica.getFileId()));
        });
        each('b', (key, value) -> {
            BlockRecord block = ShardState.parse(value, BlockRecord.parser());
            assertEquals(new HashSet<>(block.getServerIdList()), held.get(block.getBlockId()));
        });
    }

    private void each(char kind, BiConsumer<byte[], byte[]> record) {
        byte[] from = Keys.kind(kind);
        try (View.Cursor cursor = store.scan(from, Keys.after(from))) {
            while (cursor.next()) {
                record.accept(cursor.key(), cursor.value());
            }
        }
    }
}
