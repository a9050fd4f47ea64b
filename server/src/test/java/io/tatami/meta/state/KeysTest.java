package io.tatami.meta.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.BlockServerRecord;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.state.wire.IntentRecord;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.protocol.wire.OutboxDelivery;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The keys of docs/formats.md, byte by byte. */
final class KeysTest {
    private static final DirectoryId DIRECTORY = new DirectoryId(0x0102030405060708L);
    private static final FileId FILE = new FileId(0x1112131415161718L);
    private static final BlockId BLOCK = new BlockId(0x2122232425262728L);
    private static final SessionId SESSION = new SessionId(0x3132333435363738L);
    private static final ServerId SERVER = new ServerId(0x41424344);

    @Test
    void keysOfShardsAreThoseOfTheFirstRelease() {
        assertKey("e", "0102030405060708" + "c3a4", Keys.entry(DIRECTORY, "ä"));
        assertKey("s", "0102030405060708", Keys.slice(DIRECTORY));
        assertKey("f", "1112131415161718", Keys.home(FILE));
        assertKey("b", "1112131415161718" + "0000000a", Keys.block(FILE, 10));
        assertKey("v", "1112131415161718", Keys.inline(FILE));
        assertKey("w", "2122232425262728", Keys.fileOfBlock(BLOCK));
        assertKey("r", "41424344" + "2122232425262728", Keys.replica(SERVER, BLOCK));
        assertKey("l", "3132333435363738" + "1112131415161718", Keys.lease(SESSION, FILE));
        assertKey("t", "0000000000000201", Keys.transaction(new TransactionId(0x201)));
        assertKey("g", "0102030405060708", Keys.gate(DIRECTORY));
        assertKey("o", "00000004" + "0000000000000009", Keys.outbox(3, 9));
        assertKey("o", "00000000" + "0000000000000009", Keys.outbox(-1, 9));
        assertKey("q", "0000000000000007", Keys.reclaim(7));
        assertKey("mcredit", "41424344", Keys.credit(SERVER));
    }

    @Test
    void keysOfTheNamespaceGroupAndOfAllAreThoseOfTheFirstRelease() {
        assertKey("d", "0102030405060708" + "61", Keys.directory(DIRECTORY, "a"));
        assertKey("d", "0000000000000000", Keys.directory(DirectoryId.NONE, ""));
        assertKey("i", "0102030405060708", Keys.directoryName(DIRECTORY));
        assertKey("x", "0000000000000005", Keys.intent(5));
        assertKey("kserver", "41424344", Keys.cluster("server", SERVER.value()));
        assertKey("c", "3132333435363738" + "0000000000000002", Keys.replies(SESSION, 2));
        assertKey("mprogress", "", Keys.singleton("progress"));
    }

    @Test
    void countersAndSingletonsOfAShardHaveTheirNames() {
        MemoryView store = new MemoryView();
        Draft format = new Draft(store);
        format.put(
                Keys.singleton("group"),
                GroupRecord.newBuilder().setGroup(2).build().toByteArray());
        store.apply(format);
        Draft draft = new Draft(store);
        ShardState shard = new ShardState(draft);
        FileId file = shard.mintFile();
        shard.mintBlock();
        shard.mintBlock();
        assertEquals(new TransactionId(256 + 2), shard.mintTransaction());
        shard.mintMark();
        shard.mintAuditRound();
        shard.putGateNewest(new TreeVersion(5));
        shard.putGateFloor(new TreeVersion(4));
        shard.putDelivered(GroupId.ofShard(1), 9);
        shard.addReclaim(ReclaimRecord.getDefaultInstance());
        shard.addOutbox(GroupId.ofShard(1), OutboxDelivery.getDefaultInstance());
        shard.putBlock(
                file, 0, BlockRecord.newBuilder().setBlockId(BLOCK.value()).build());

        assertEquals(
                Map.of(
                        "mcounter.audit", 1L,
                        "mcounter.mark", 1L,
                        "mcounter.minted", 3L,
                        "mcounter.outbox.1", 1L,
                        "mcounter.reclaim", 1L,
                        "mcounter.transaction", 1L,
                        "mdelivered.1", 9L,
                        "mgate.floor", 4L,
                        "mgate.newest", 5L),
                numbers(draft));
        assertTrue(draft.get(Keys.reclaim(1)) != null
                && draft.get(Keys.outbox(1, 1)) != null
                && draft.get(Keys.fileOfBlock(BLOCK)) != null);
    }

    @Test
    void countersAndSingletonsOfTheNamespaceGroupHaveTheirNames() {
        Draft draft = new Draft(new MemoryView());
        TreeState tree = new TreeState(draft);
        tree.beginTerm();
        tree.takeIds(10);
        tree.setFirstDirectory(1);
        tree.addIntent(IntentRecord.getDefaultInstance());
        ClusterState cluster = new ClusterState(draft);
        cluster.mintSession();
        cluster.putServer(cluster.mintServer(), BlockServerRecord.getDefaultInstance());
        cluster.putHost(GroupId.NAMESPACE, GroupHostRecord.getDefaultInstance());
        cluster.setSafeMode(true);

        assertEquals(
                Map.of(
                        "mcounter.intent", 1L,
                        "mcounter.server", 1L,
                        "mcounter.session", 1L,
                        "mmap.epoch", 3L,
                        "msafe.mode", 1L,
                        "mtree.first-directory", 1L,
                        "mtree.last-directory", 11L,
                        "mtree.term", 1L),
                numbers(draft));
        assertTrue(draft.get(HexFormat.of().parseHex(hex("kgroup") + "00000000")) != null);
    }

    @Test
    void namesSortWithinTheirDirectoryAndARangeEndsBehindTheLast() {
        byte[] all = Keys.entries(DIRECTORY);
        byte[] last = Keys.entry(DIRECTORY, "\uffff");
        assertTrue(Arrays.compareUnsigned(all, Keys.entry(DIRECTORY, "")) <= 0);
        assertTrue(Arrays.compareUnsigned(Keys.entry(DIRECTORY, "a"), Keys.entry(DIRECTORY, "b")) < 0);
        assertTrue(Arrays.compareUnsigned(last, Keys.after(all)) < 0);
        assertArrayEquals(new byte[] {1, 3}, Keys.after(new byte[] {1, 2, (byte) 0xff}));
        assertThrows(IllegalArgumentException.class, () -> Keys.after(new byte[] {(byte) 0xff}));
        assertEquals("ä", Keys.nameOf(Keys.entry(DIRECTORY, "ä")));
        assertEquals(10, Keys.indexOf(Keys.block(FILE, 10)));
        assertEquals(BLOCK.value(), Keys.blockOfReplica(Keys.replica(SERVER, BLOCK)));
        assertEquals(FILE.value(), Keys.secondIdOf(Keys.lease(SESSION, FILE)));
    }

    private static void assertKey(String text, String hex, byte[] key) {
        assertEquals(hex(text) + hex, HexFormat.of().formatHex(key));
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** What is stored under keys of the letter m, all of them numbers. */
    private static Map<String, Long> numbers(Draft draft) {
        Map<String, Long> numbers = new TreeMap<>();
        draft.changes().forEach((key, change) -> {
            byte[] value = change.value();
            if (key[0] == 'm' && value != null) {
                assertEquals(Long.BYTES, value.length);
                numbers.put(
                        new String(key, StandardCharsets.US_ASCII),
                        ByteBuffer.wrap(value).getLong());
            }
        });
        return numbers;
    }
}
