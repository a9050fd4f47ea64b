package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.relay.FreePorts;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A block server that starts again at another port is found there by clients, readers and writers of before. */
final class MovedBlockServerTest {
    private static final TatamiPath BEFORE = TatamiPath.ROOT.listedChild("before");
    private static final TatamiPath AFTER = TatamiPath.ROOT.listedChild("after");

    @TempDir
    private Path directory;

    private StandaloneNode open(int port) throws IOException {
        return StandaloneNode.open(
                new StandaloneNode.Setup(directory, List.of(), 64L << 20, "localhost", port, 1),
                Settings.of(Map.of()),
                user -> List.of());
    }

    @Test
    void clientsFindABlockServerAtItsNewPort() throws Exception {
        int port = FreePorts.find(1).get(0).getPort();
        byte[] bytes = new byte[3_000_000];
        new Random(1).nextBytes(bytes);
        StandaloneNode node = open(port);
        try (TatamiClient client = TatamiClient.connect(
                "localhost:" + port, UserIdentity.of(System.getProperty("user.name")), Settings.defaults())) {
            write(client, BEFORE, bytes);
            int dataPort = dataPort(client);
            FileReader openBefore = client.open(BEFORE, ReadPolicy.SEQUENTIAL);
            node.close();
            node = open(port);
            assertArrayEquals(bytes, read(openBefore));
            assertArrayEquals(bytes, read(client.open(BEFORE, ReadPolicy.SEQUENTIAL)));
            write(client, AFTER, bytes);
            assertArrayEquals(bytes, read(client.open(AFTER, ReadPolicy.SEQUENTIAL)));
            assertNotEquals(dataPort, dataPort(client), "it came back at the same port, and nothing was tried");
        } finally {
            node.close();
        }
    }

    private static int dataPort(TatamiClient client) throws IOException {
        return client.cluster().status().map().getBlockServer(0).getData().getPort();
    }

    private static void write(TatamiClient client, TatamiPath path, byte[] bytes) throws IOException {
        try (FileWriter writer = client.create(path, CreateSpec.DEFAULT)) {
            writer.write(bytes, 0, bytes.length);
        }
    }

    private static byte[] read(FileReader reader) throws IOException {
        try (reader) {
            byte[] found = new byte[(int) reader.lengthBytes()];
            int at = 0;
            while (at < found.length) {
                at += reader.readAt(at, ByteBuffer.wrap(found, at, found.length - at));
            }
            return found;
        }
    }
}
