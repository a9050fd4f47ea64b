package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.CreateSpec;
import io.tatami.client.TatamiClient;
import io.tatami.client.TatamiPath;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import java.io.RandomAccessFile;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads of whole blocks that were written so, by a client on the server's host: cluster and client in one process. */
final class LongReadTest {
    private static final int MIB = 1 << 20;
    private static final int SECTOR_BYTES = 4096;
    private static final int FILE_BYTES = 30 * MIB + 5;
    private static final TatamiPath FILE = TatamiPath.ROOT.listedChild("long");

    private final byte[] bytes = new byte[FILE_BYTES];
    private Path volume;
    private StandaloneNode node;
    private TatamiClient client;
    private long sharedBytesWritten;

    @BeforeEach
    void start(@TempDir Path directory) throws Exception {
        Settings settings = Settings.of(Map.of("tatami.client.operation.timeout", "5s"));
        volume = directory.resolve("volume");
        node = StandaloneNode.open(
                new StandaloneNode.Place(directory.resolve("data"), List.of(volume), 100 * MIB, "localhost", 0, 1),
                settings,
                user -> List.of());
        client = TatamiClient.connect(
                ClusterAddress.of(node.uri()).authority(), UserIdentity.of(System.getProperty("user.name")), settings);
        new SplittableRandom(8).nextBytes(bytes);
        try (FileWriter writer = client.create(FILE, CreateSpec.DEFAULT.withBlockSizeBytes(16 * MIB))) {
            writer.write(bytes, 0, FILE_BYTES);
            sharedBytesWritten = writer.sharedBytes();
        }
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        node.close();
    }

    @Test
    void allBlocksPassThroughMemoryBothWays() throws Exception {
        assertEquals(FILE_BYTES, sharedBytesWritten);
        ByteBuffer all = ByteBuffer.allocate(FILE_BYTES);
        try (FileReader reader = client.open(FILE, ReadPolicy.SEQUENTIAL)) {
            read(reader, all);
            assertEquals(FILE_BYTES, reader.statistics().sharedBytes());
        }
        assertArrayEquals(bytes, all.array());
    }

    @ParameterizedTest
    @ValueSource(ints = {20 * MIB, 21 * MIB + (64 << 10)})
    void theServerFindsWhatItsReaderFoundBroken(int rottenAt) throws Exception {
        flipBit(Arrays.copyOfRange(bytes, rottenAt, rottenAt + SECTOR_BYTES));
        ByteBuffer all = ByteBuffer.allocate(FILE_BYTES);
        try (FileReader reader = client.open(FILE, ReadPolicy.SEQUENTIAL)) {
            TatamiException corrupt = assertThrows(TatamiException.class, () -> read(reader, all));
            assertEquals(ErrorCode.CORRUPT, corrupt.code());
            assertTrue(String.valueOf(corrupt.getMessage()).contains(volume.toString()), corrupt.toString());
        }
        assertEquals(rottenAt, all.position());
        assertArrayEquals(Arrays.copyOf(bytes, rottenAt), Arrays.copyOf(all.array(), rottenAt));
    }

    private static void read(FileReader reader, ByteBuffer into) throws Exception {
        while (into.hasRemaining()) {
            assertTrue(reader.read(into) > 0);
        }
    }

    /** Of the first byte of the sector that holds {@code pattern}. */
    private void flipBit(byte[] pattern) throws Exception {
        byte[] sector = new byte[SECTOR_BYTES];
        try (RandomAccessFile file = new RandomAccessFile(volume.toFile(), "rw")) {
            for (long at = 0; at < file.length(); at += SECTOR_BYTES) {
                file.seek(at);
                file.readFully(sector);
                if (Arrays.equals(sector, pattern)) {
                    file.seek(at);
                    file.write(sector[0] ^ 1);
                    return;
                }
            }
        }
        throw new AssertionError("the volume does not hold the file's bytes");
    }
}
