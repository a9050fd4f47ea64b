package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.ClusterStatus;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.client.model.UnresolvedLinkException;
import io.tatami.conf.Settings;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The client library on a whole cluster in one process, over sockets and a volume in a file. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class EndToEndTest {
    private static final Settings SETTINGS =
            Settings.of(Map.of("tatami.client.operation.timeout", "30s", "tatami.block.size.min", "1"));
    private static final String SUPERUSER = System.getProperty("user.name");

    private final Random random = new Random(11);
    private StandaloneNode node;
    private TatamiClient client;
    private TatamiPath home;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        node = StandaloneNode.open(
                new StandaloneNode.Setup(directory, List.of(), 1L << 30, "localhost", 0, 4),
                SETTINGS,
                user -> List.of());
        client = connect(SUPERUSER);
    }

    @AfterAll
    void stop() throws Exception {
        client.close();
        node.close();
    }

    /** Each test works in a directory of its own. */
    @BeforeEach
    void makeHome(TestInfo test) throws Exception {
        home = TatamiPath.of("/" + test.getTestMethod().orElseThrow().getName());
        assertTrue(client.mkdirs(home, CreateSpec.modes(0755, 0), true));
    }

    private TatamiClient connect(String user) throws TatamiException {
        return TatamiClient.connect(ClusterAddress.of(node.uri()).authority(), UserIdentity.of(user), SETTINGS);
    }

    @Test
    void filesOfAllSizesAreReadAsTheyWereWritten() throws Exception {
        for (int size : List.of(0, 1, 4_096, 16 << 10, (16 << 10) + 1, 100_000, 1 << 20, (5 << 20) + 17)) {
            TatamiPath file = home.child("f" + size);
            byte[] bytes = write(file, CreateSpec.DEFAULT.withBlockSizeBytes(2 << 20), size);
            assertArrayEquals(bytes, read(file), "size " + size);
            PathStatus status = client.status(file, true);
            assertEquals(size, status.lengthBytes());
            assertFalse(status.isOpen());
            assertEquals(
                    ChunkChecksum.of(ByteBuffer.wrap(bytes), 0, size),
                    client.checksum(file, size).crc32c());
        }
        assertEquals(8, client.list(home, true).toList().size());
        assertEquals(8, client.contentTotals(home).files());
    }

    @Test
    void tinyBlocksHaveALocationEach() throws Exception {
        TatamiPath file = home.child("f");
        byte[] bytes = write(file, CreateSpec.DEFAULT.withBlockSizeBytes(2_048), 20_000);
        assertArrayEquals(bytes, read(file));
        assertEquals(10, client.blockLocations(file, 0, 20_000).size());
        assertEquals(2, client.blockLocations(file, 2_000, 2_000).size());
        assertEquals(
                "localhost",
                client.blockLocations(file, 0, 1).get(0).holders().get(0).host());
    }

    @Test
    void flushedBytesAreSeenBeforeTheClose() throws Exception {
        TatamiPath file = home.child("f");
        byte[] bytes = random(300_000);
        try (FileWriter writer = client.create(file, CreateSpec.DEFAULT)) {
            writer.write(bytes, 0, 1_000);
            writer.hflush();
            assertArrayEquals(Arrays.copyOf(bytes, 1_000), read(file));
            writer.write(bytes, 1_000, 299_000);
            writer.hsync(true);
            assertEquals(300_000, client.status(file, true).lengthBytes());
            assertArrayEquals(bytes, read(file));
            assertFalse(client.isClosed(file));
        }
        assertTrue(client.isClosed(file));
        assertArrayEquals(bytes, read(file));
    }

    @Test
    void appendsGoOnWhereTheFileEnds() throws Exception {
        TatamiPath file = home.child("f");
        byte[] bytes = random(400_000);
        client.create(file, CreateSpec.DEFAULT.withBlockSizeBytes(128 << 10)).close();
        int at = 0;
        for (int end : List.of(100, 100, 20_000, 131_072, 131_073, 300_000, 400_000)) {
            try (FileWriter writer = client.append(file, false)) {
                assertEquals(at, writer.position());
                writer.write(bytes, at, end - at);
                at = end;
            }
            assertArrayEquals(Arrays.copyOf(bytes, end), read(file), "up to " + end);
        }
    }

    @Test
    void truncatedFilesEndWhereTheyWereCut() throws Exception {
        TatamiPath file = home.child("f");
        byte[] bytes = write(file, CreateSpec.DEFAULT.withBlockSizeBytes(100_000), 350_000);
        for (int length : List.of(350_000, 300_000, 250_001, 10, 0)) {
            client.truncate(file, length);
            byte[] left = Arrays.copyOf(bytes, length);
            int checksum = ChunkChecksum.of(ByteBuffer.wrap(left), 0, length);
            assertArrayEquals(left, read(file), "while the last block is being cut");
            assertEquals(checksum, client.checksum(file, Long.MAX_VALUE).crc32c());
            awaitClosed(file);
            assertArrayEquals(left, read(file));
            assertEquals(checksum, client.checksum(file, Long.MAX_VALUE).crc32c());
        }
    }

    @Test
    void concatenatedFilesAreOne() throws Exception {
        byte[] all = new byte[0];
        List<TatamiPath> parts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            TatamiPath part = home.child("part" + i);
            byte[] bytes = write(part, CreateSpec.DEFAULT.withBlockSizeBytes(64 << 10), 2 * (64 << 10));
            int before = all.length;
            all = Arrays.copyOf(all, before + bytes.length);
            System.arraycopy(bytes, 0, all, before, bytes.length);
            parts.add(part);
        }
        client.concat(parts.get(0), parts.subList(1, 3));
        assertArrayEquals(all, read(parts.get(0)));
        assertEquals(1, client.list(home, false).toList().size());
    }

    @Test
    void renamesMoveFilesAndTrees() throws Exception {
        TatamiPath file = home.child("f");
        byte[] bytes = write(file, CreateSpec.DEFAULT, 200_000);
        byte[] small = write(home.child("s"), CreateSpec.DEFAULT, 200);
        client.mkdirs(home.child("d").child("e"), CreateSpec.modes(0755, 0), true);
        for (int i = 0; i < 20; i++) {
            TatamiPath to = home.child("d").child("e").child("f" + i);
            client.rename(file, to, false);
            assertArrayEquals(bytes, read(to));
            file = to;
        }
        client.rename(home.child("s"), file, true);
        assertArrayEquals(small, read(file));
        client.rename(home.child("d"), home.child("g"), false);
        assertArrayEquals(small, read(home.child("g").child("e").child(file.name())));
        assertCode(ErrorCode.NOT_FOUND, () -> client.status(home.child("d"), true));
        assertTrue(client.delete(home.child("g"), true));
        assertFalse(client.delete(home.child("g"), true));
    }

    @Test
    void aDirectoryWhoseRenameWasBrokenOffStandsAtOnePlace() throws Exception {
        assertStandsAtOnePlaceAfter("meta.rename-directory.announced", false);
        assertStandsAtOnePlaceAfter("meta.rename-directory.committed", true);
    }

    /** The name that is not the directory's stays marked as kept for it. */
    private void assertStandsAtOnePlaceAfter(String point, boolean renamed) throws Exception {
        TatamiPath from = home.child("from-" + point);
        TatamiPath to = home.child("to-" + point);
        client.mkdirs(from, CreateSpec.modes(0755, 0), false);
        CrashPoint.listen(name -> {
            if (name.equals(point)) {
                throw new IllegalStateException("broken off at " + point);
            }
        });
        boolean acknowledged = true;
        try {
            client.rename(from, to, false);
        } catch (TatamiException e) {
            acknowledged = false;
        } finally {
            CrashPoint.listen(null);
        }
        assertTrue(renamed || !acknowledged);
        TatamiPath here = renamed ? to : from;
        TatamiPath notHere = renamed ? from : to;
        try (TatamiClient other = connect(SUPERUSER)) {
            assertTrue(other.status(here, true).isDirectory());
            assertEquals(
                    List.of(here),
                    other.list(home, false).toList().stream()
                            .map(PathStatus::path)
                            .filter(path -> path.name().endsWith(point))
                            .toList());
            assertCode(ErrorCode.NOT_FOUND, () -> other.status(notHere, true));
            assertCode(ErrorCode.NOT_FOUND, () -> other.list(notHere, false));
            assertCode(ErrorCode.NOT_FOUND, () -> other.status(notHere.child("f"), true));
            assertFalse(other.delete(notHere, true));
            other.create(notHere, CreateSpec.DEFAULT).close();
        }
    }

    @Test
    void openFilesKeepTheirWriterThroughARename() throws Exception {
        TatamiPath file = home.child("f");
        byte[] bytes = random(500_000);
        try (FileWriter writer = client.create(file, CreateSpec.DEFAULT)) {
            writer.write(bytes, 0, 100_000);
            writer.hflush();
            client.mkdirs(home.child("elsewhere"), CreateSpec.modes(0755, 0), false);
            client.rename(file, home.child("elsewhere").child("g"), false);
            writer.write(bytes, 100_000, 400_000);
        }
        assertArrayEquals(bytes, read(home.child("elsewhere").child("g")));
    }

    @Test
    void whatIsRefusedIsToldByItsCode() throws Exception {
        TatamiPath file = home.child("f");
        write(file, CreateSpec.DEFAULT, 10);
        assertCode(ErrorCode.ALREADY_EXISTS, () -> client.create(file, CreateSpec.DEFAULT));
        assertCode(ErrorCode.NOT_A_DIRECTORY, () -> client.status(file.child("x"), true));
        assertCode(ErrorCode.NOT_FOUND, () -> client.status(home.child("x").child("y"), true));
        assertCode(ErrorCode.ALREADY_EXISTS, () -> client.mkdirs(file, CreateSpec.modes(0755, 0), true));
        assertCode(ErrorCode.NOT_EMPTY, () -> client.delete(home, false));
        assertCode(ErrorCode.IS_A_DIRECTORY, () -> client.open(home, ReadPolicy.ADAPTIVE));
        try (FileWriter writer = client.append(file, false)) {
            assertEquals(10, writer.position());
            assertCode(ErrorCode.LEASE_HELD, () -> client.append(file, false));
        }
        try (TatamiClient other = connect("nobody-known")) {
            assertCode(ErrorCode.PERMISSION_DENIED, () -> other.create(home.child("g"), CreateSpec.DEFAULT));
            client.setAttributes(
                    file, AttributeChange.newBuilder().setMode(0600).build());
            assertCode(ErrorCode.PERMISSION_DENIED, () -> other.open(file, ReadPolicy.ADAPTIVE));
        }
    }

    @Test
    void symlinksAreFollowedByWhoAsksForIt() throws Exception {
        byte[] bytes = write(home.child("d").child("f"), CreateSpec.DEFAULT.withCreateParents(true), 100);
        client.createSymlink(home.child("link"), "d", false);
        TatamiPath through = home.child("link").child("f");
        assertThrows(UnresolvedLinkException.class, () -> client.open(through, ReadPolicy.ADAPTIVE));
        try (FileReader reader = client.following(through, at -> client.open(at, ReadPolicy.ADAPTIVE))) {
            assertEquals(bytes.length, reader.lengthBytes());
        }
        assertThrows(
                UnresolvedLinkException.class,
                () -> client.mkdirs(home.child("link").child("x").child("y"), CreateSpec.modes(0755, 0), true));
        assertTrue(client.delete(home.child("link"), false));
    }

    @Test
    void aLostWritersFileIsClosedByRecovery() throws Exception {
        TatamiPath file = home.child("f");
        byte[] bytes = random(200_000);
        try (TatamiClient lost = connect(SUPERUSER)) {
            FileWriter writer = lost.create(file, CreateSpec.DEFAULT);
            writer.write(bytes, 0, bytes.length);
            writer.hsync(false);
            writer.abort();
            client.recoverLease(file);
            awaitClosed(file);
            assertArrayEquals(bytes, read(file));
        }
    }

    @Test
    void aClientThatOpensARecoveredFileAgainWritesItByTheNewStreamAlone() throws Exception {
        TatamiPath file = home.child("f");
        byte[] bytes = random(300_000);
        FileWriter before = client.create(file, CreateSpec.DEFAULT);
        before.write(bytes, 0, 200_000);
        before.hsync(false);
        client.recoverLease(file);
        awaitClosed(file);
        FileWriter after = client.append(file, false);
        after.write(bytes, 200_000, 100_000);
        TatamiException late = assertThrows(TatamiException.class, () -> before.write(bytes, 0, 100_000));
        assertEquals(ErrorCode.LEASE_EXPIRED, late.code());
        assertThrows(TatamiException.class, before::close);
        after.close();
        assertArrayEquals(bytes, read(file));
    }

    @Test
    void aWriterWhoseDirectoryWasMovedIsToldThatItIsDeletedWhereItIs() throws Exception {
        TatamiPath before = home.child("a").child("d");
        TatamiPath after = home.child("b").child("d");
        assertTrue(client.mkdirs(before, CreateSpec.modes(0755, 0), true));
        assertTrue(client.mkdirs(home.child("b"), CreateSpec.modes(0755, 0), true));
        FileWriter writer = client.create(before.child("f"), CreateSpec.DEFAULT);
        byte[] bytes = random(100_000);
        writer.write(bytes, 0, bytes.length);
        writer.hsync(true);
        client.rename(before, after, false);
        writer.hsync(true);
        assertArrayEquals(bytes, read(after.child("f")));
        assertTrue(client.delete(home.child("b"), true));
        TatamiException gone = assertThrows(TatamiException.class, writer::close);
        assertEquals(ErrorCode.LEASE_EXPIRED, gone.code());
    }

    /** Of eight directories some are in another shard than the file's home. */
    @Test
    void aWriterWhoseFileWasMovedIntoADeletedDirectoryIsToldWhereverThatIs() throws Exception {
        for (int i = 0; i < 8; i++) {
            TatamiPath file = home.child("f" + i);
            TatamiPath directory = home.child("d" + i);
            assertTrue(client.mkdirs(directory, CreateSpec.modes(0755, 0), false));
            FileWriter writer = client.create(file, CreateSpec.DEFAULT);
            byte[] bytes = random(100_000);
            writer.write(bytes, 0, bytes.length);
            writer.hsync(true);
            client.rename(file, directory.child("f"), false);
            writer.hsync(true);
            assertTrue(client.delete(directory, true));
            TatamiException gone = assertThrows(TatamiException.class, writer::close);
            assertEquals(ErrorCode.LEASE_EXPIRED, gone.code());
        }
    }

    @Test
    void blocksOfAFileThatWasInlineEndAtMultiplesOfTheBlockSize() throws Exception {
        TatamiPath file = home.child("f");
        int block = 1 << 20;
        byte[] bytes = random(2 * block + 100);
        try (FileWriter writer = client.create(file, CreateSpec.DEFAULT.withBlockSizeBytes(block))) {
            writer.write(bytes, 0, 100);
        }
        try (FileWriter writer = client.append(file, false)) {
            writer.write(bytes, 100, bytes.length - 100);
        }
        assertEquals(
                List.of(0L, (long) block, 2L * block),
                client.blockLocations(file, 0, bytes.length).stream()
                        .map(LocatedBlock::offsetBytes)
                        .toList());
        assertArrayEquals(bytes, read(file));
    }

    @Test
    void manyPathsAreDeletedAtOnce() throws Exception {
        List<TatamiPath> paths = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            TatamiPath path = home.child("d" + i % 5).child("f" + i);
            client.create(path, CreateSpec.DEFAULT.withCreateParents(true)).close();
            paths.add(path);
        }
        paths.add(home.child("absent"));
        assertTrue(client.bulkDelete(paths).isEmpty());
        assertEquals(List.of(), client.bulkDelete(List.of(home.child("d0"))));
        client.create(home.child("d1").child("f"), CreateSpec.DEFAULT).close();
        assertEquals(
                ErrorCode.NOT_EMPTY,
                client.bulkDelete(List.of(home.child("d1"))).get(0).reason().code());
    }

    @Test
    void theClusterTellsItsState() throws Exception {
        write(home.child("f"), CreateSpec.DEFAULT, 100_000);
        ClusterStatus status = client.cluster().status();
        assertEquals(5, status.groups().size());
        assertTrue(status.groups().stream().allMatch(group -> group.failure().isEmpty()), status::toString);
        assertTrue(status.capacityBytes() > 0);
    }

    private void awaitClosed(TatamiPath file) throws IOException {
        long giveUp = System.nanoTime() + 30_000_000_000L;
        while (true) {
            try {
                client.append(file, false).close();
                return;
            } catch (TatamiException e) {
                if (e.code() != ErrorCode.LEASE_HELD || System.nanoTime() > giveUp) {
                    throw e;
                }
            }
        }
    }

    private byte[] write(TatamiPath file, CreateSpec spec, int length) throws IOException {
        byte[] bytes = random(length);
        try (FileWriter writer = client.create(file, spec)) {
            writer.write(bytes, 0, length);
        }
        return bytes;
    }

    private byte[] read(TatamiPath file) throws IOException {
        try (FileReader reader = client.open(file, ReadPolicy.ADAPTIVE)) {
            ByteBuffer all = ByteBuffer.allocate((int) reader.lengthBytes());
            int length = 0;
            while (all.hasRemaining() && length >= 0) {
                length = reader.read(all);
            }
            return Arrays.copyOf(all.array(), all.position());
        }
    }

    private byte[] random(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    @FunctionalInterface
    private interface Action {
        void run() throws IOException;
    }

    private static void assertCode(ErrorCode code, Action action) {
        assertEquals(code, assertThrows(TatamiException.class, action::run).code());
    }
}
