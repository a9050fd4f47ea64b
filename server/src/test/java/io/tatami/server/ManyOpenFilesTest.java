package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** More files open for writing than the volume has room for whole blocks: each takes a shorter part of the room. */
final class ManyOpenFilesTest {
    private static final int MIB = 1 << 20;
    /** Four whole blocks would take all room. */
    private static final int FILES = 14;

    private static final CreateSpec SPEC = CreateSpec.DEFAULT.withBlockSizeBytes(64 * MIB);
    private static final Settings SETTINGS = Settings.of(Map.of(
            "tatami.client.operation.timeout", "10s",
            "tatami.block.credit.size", "1m"));

    private final List<FileWriter> writers = new ArrayList<>();
    private StandaloneNode node;
    private TatamiClient client;

    @BeforeEach
    void start(@TempDir Path directory) throws Exception {
        node = StandaloneNode.open(
                new StandaloneNode.Setup(directory, List.of(), 256L * MIB, "localhost", 0, 1),
                SETTINGS,
                user -> List.of());
        client = TatamiClient.connect(
                ClusterAddress.of(node.uri()).authority(), UserIdentity.of(System.getProperty("user.name")), SETTINGS);
    }

    @AfterEach
    void stop() throws Exception {
        writers.forEach(FileWriter::abort);
        client.close();
        node.close();
    }

    @Test
    void filesThatAreOpenTogetherShareTheRoomThatWholeBlocksWouldNotLeave() throws Exception {
        for (int i = 0; i < FILES; i++) {
            open(i);
        }
        for (int i = 0; i < FILES; i++) {
            writers.get(i).write(bytes(i, 3 * MIB), 0, 3 * MIB);
            writers.get(i).close();
            byte[] expected = Arrays.copyOf(bytes(i, 2 * MIB), 5 * MIB);
            System.arraycopy(bytes(i, 3 * MIB), 0, expected, 2 * MIB, 3 * MIB);
            assertArrayEquals(expected, read(path(i)), "file " + i);
        }
    }

    @Test
    void theRefusalTellsThatOpenFilesReserveRoom() {
        TatamiException refused = assertThrows(TatamiException.class, () -> {
            for (int i = 0; i < 200; i++) {
                open(i);
            }
        });
        assertEquals(ErrorCode.NO_SPACE, refused.code(), refused::toString);
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("each file that is open for writing reserves room"), message);
        assertTrue(message.matches("(?s).*\\([1-9]\\d+ are open in this shard\\).*"), message);
    }

    private void open(int number) throws IOException {
        FileWriter writer = client.create(path(number), SPEC);
        writers.add(writer);
        writer.write(bytes(number, 2 * MIB), 0, 2 * MIB);
        writer.hflush();
    }

    private static TatamiPath path(int number) {
        return TatamiPath.ROOT.listedChild("open" + number);
    }

    private static byte[] bytes(int number, int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) (number + 1));
        return bytes;
    }

    private byte[] read(TatamiPath path) throws IOException {
        try (FileReader reader = client.open(path, ReadPolicy.SEQUENTIAL)) {
            ByteBuffer all = ByteBuffer.allocate((int) reader.lengthBytes());
            int length = 0;
            while (all.hasRemaining() && length >= 0) {
                length = reader.read(all);
            }
            return all.array();
        }
    }
}
