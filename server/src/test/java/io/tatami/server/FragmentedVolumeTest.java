package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A volume with much room, but in pieces: client and cluster in one process, over sockets. */
final class FragmentedVolumeTest {
    private static final int MIB = 1 << 20;
    private static final int VOLUME_BYTES = 100 * MIB;
    private static final int PIECE_BYTES = 6 * MIB;
    private static final int PIECES = 15;
    private static final int BLOCK_BYTES = 32 * MIB;
    private static final long KEPT_BYTES = PIECES / 2L * PIECE_BYTES;
    private static final Settings SETTINGS = Settings.of(Map.of(
            "tatami.client.operation.timeout", "30s",
            "tatami.block.credit.size", "1m"));
    private static final CreateSpec SPEC = CreateSpec.DEFAULT.withBlockSizeBytes(BLOCK_BYTES);

    private StandaloneNode node;
    private TatamiClient client;

    @BeforeEach
    void start(@TempDir Path directory) throws Exception {
        node = StandaloneNode.open(
                new StandaloneNode.Setup(directory, List.of(), VOLUME_BYTES, "localhost", 0, 1),
                SETTINGS,
                user -> List.of());
        client = TatamiClient.connect(
                ClusterAddress.of(node.uri()).authority(), UserIdentity.of(System.getProperty("user.name")), SETTINGS);
        leaveHolesOfOnePiece();
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        node.close();
    }

    @Test
    void aFileLongerThanAnyFreeRunIsWrittenReadAndAppendedTo() throws Exception {
        TatamiPath file = TatamiPath.of("/long");
        byte[] bytes = bytes(99, 4 * PIECE_BYTES + 12_345);
        int synced = 2 * PIECE_BYTES + 777;
        int closed = 3 * PIECE_BYTES + 4_321;
        try (FileWriter writer = client.create(file, SPEC)) {
            writer.write(bytes, 0, synced);
            writer.hsync(true);
            assertEquals(synced, client.status(file, true).lengthBytes());
            assertArrayEquals(Arrays.copyOf(bytes, synced), read(file, 0));
            writer.write(bytes, synced, closed - synced);
        }
        assertArrayEquals(Arrays.copyOf(bytes, closed), read(file, 0));
        try (FileWriter writer = client.append(file, false)) {
            writer.write(bytes, closed, bytes.length - closed);
        }

        assertArrayEquals(bytes, read(file, 0));
        assertArrayEquals(
                Arrays.copyOfRange(bytes, PIECE_BYTES - 5, bytes.length), read(file, PIECE_BYTES - 5), "from a seek");
        assertEquals(
                ChunkChecksum.of(ByteBuffer.wrap(bytes), 0, bytes.length),
                client.checksum(file, bytes.length).crc32c());
        assertNoBlockIsWhole(file, bytes.length);
    }

    @Test
    void blocksEndAtMultiplesOfTheBlockSizeThoughTheyAreShort() throws Exception {
        int blockBytes = 8 * MIB;
        TatamiPath file = TatamiPath.of("/aligned");
        byte[] bytes = bytes(5, 2 * blockBytes + 12_345);
        try (FileWriter writer = client.create(file, CreateSpec.DEFAULT.withBlockSizeBytes(blockBytes))) {
            writer.write(bytes, 0, bytes.length);
        }
        try (FileWriter writer = client.append(file, false)) {
            writer.write(bytes, 0, blockBytes);
        }

        List<Long> starts = client.blockLocations(file, 0, Long.MAX_VALUE).stream()
                .map(LocatedBlock::offsetBytes)
                .toList();
        assertTrue(starts.size() > 4, starts::toString);
        for (long split = 0; split < 4L * blockBytes; split += blockBytes) {
            assertTrue(starts.contains(split), split + " of " + starts);
        }
        assertArrayEquals(bytes, Arrays.copyOf(read(file, 0), bytes.length));
    }

    @Test
    void nothingIsRefusedWhileAHoleIsFreeAndWhatWasFullIsWritableOnceFilesAreDeleted() throws Exception {
        long free = client.cluster().status().freeBytes();
        TatamiPath file = TatamiPath.of("/all");
        byte[] bytes = bytes(7, MIB);
        long taken = 0;
        TatamiException full;
        try (FileWriter writer = client.create(file, SPEC)) {
            while (true) {
                writer.write(bytes, 0, MIB);
                taken += MIB;
            }
        } catch (TatamiException e) {
            full = e;
        }

        assertEquals(ErrorCode.NO_SPACE, full.code(), full::toString);
        assertTrue(taken > free - PIECE_BYTES, taken + " of " + free + " free bytes were taken");
        assertTrue(client.delete(file, false));
        awaitUsed(KEPT_BYTES);
        write(file, bytes(8, 3 * PIECE_BYTES));
        assertArrayEquals(bytes(8, 3 * PIECE_BYTES), read(file, 0));
    }

    /** Fills the volume with files of one piece, and deletes every second one. */
    private void leaveHolesOfOnePiece() throws Exception {
        for (int i = 0; i < PIECES; i++) {
            write(TatamiPath.of("/piece" + i), bytes(i, PIECE_BYTES));
        }
        for (int i = 0; i < PIECES; i += 2) {
            assertTrue(client.delete(TatamiPath.of("/piece" + i), false));
        }
        awaitUsed(KEPT_BYTES);
    }

    private void assertNoBlockIsWhole(TatamiPath file, int length) throws Exception {
        List<LocatedBlock> places = client.blockLocations(file, 0, length);
        long end = 0;
        for (LocatedBlock setup : places) {
            assertEquals(end, setup.offsetBytes());
            assertTrue(setup.lengthBytes() <= BLOCK_BYTES / 2, places::toString);
            end += setup.lengthBytes();
        }
        assertEquals(length, end);
        assertTrue(places.size() >= 3, places::toString);
    }

    private void write(TatamiPath file, byte[] bytes) throws IOException {
        try (FileWriter writer = client.create(file, SPEC)) {
            writer.write(bytes, 0, bytes.length);
        }
    }

    private byte[] read(TatamiPath file, int offset) throws IOException {
        try (FileReader reader = client.open(file, ReadPolicy.ADAPTIVE)) {
            reader.seek(offset);
            ByteBuffer all = ByteBuffer.allocate((int) reader.lengthBytes() - offset);
            int length = 0;
            while (all.hasRemaining() && length >= 0) {
                length = reader.read(all);
            }
            return Arrays.copyOf(all.array(), all.position());
        }
    }

    /** Blocks of deleted files go in the background, and the cluster is told by the next heartbeat. */
    private void awaitUsed(long bytes) throws Exception {
        long giveUp = System.nanoTime() + 60_000_000_000L;
        while (client.cluster().status().usedBytes() != bytes) {
            assertTrue(System.nanoTime() < giveUp, () -> bytes + " bytes were to be in use");
            Thread.sleep(20);
        }
    }

    private static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }
}
