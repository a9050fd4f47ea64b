package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The only server of a cluster, metadata and blocks, is restarted while it is in use. */
final class RestartedNodeTest {
    private static final int BYTES = 20 << 20;
    private static final TatamiPath FILE = TatamiPath.ROOT.listedChild("read");
    private static final Settings SETTINGS =
            Settings.of(Map.of("tatami.client.shared.memory", "false", "tatami.client.read.ahead", "1m"));

    @TempDir
    private Path directory;

    private StandaloneNode node(int port) throws Exception {
        return StandaloneNode.open(
                new StandaloneNode.Setup(directory.resolve("node"), List.of(), 128L << 20, "localhost", port, 1),
                SETTINGS,
                user -> List.of());
    }

    private TatamiClient client(StandaloneNode node) throws Exception {
        return TatamiClient.connect(
                ClusterAddress.of(node.uri()).authority(), UserIdentity.of(System.getProperty("user.name")), SETTINGS);
    }

    /** Returns after {@code use} has ended, which goes on while there is no server. Closes the one that is given. */
    private StandaloneNode restartDuring(StandaloneNode node, Callable<?> use) throws Exception {
        ExecutorService users = Executors.newSingleThreadExecutor();
        try {
            int port = URI.create(node.uri()).getPort();
            node.close();
            Future<?> used = users.submit(use);
            assertThrows(TimeoutException.class, () -> used.get(1, TimeUnit.SECONDS));
            StandaloneNode again = node(port);
            used.get();
            return again;
        } finally {
            users.shutdownNow();
        }
    }

    @Test
    void aReadGoesOnAfterARestart() throws Exception {
        byte[] bytes = new byte[BYTES];
        new SplittableRandom(3).nextBytes(bytes);
        ByteBuffer read = ByteBuffer.allocate(BYTES);
        StandaloneNode node = node(0);
        try (TatamiClient client = client(node)) {
            try (FileWriter writer = client.create(FILE, CreateSpec.DEFAULT)) {
                writer.write(bytes, 0, BYTES);
            }
            try (FileReader reader = client.open(FILE, ReadPolicy.SEQUENTIAL)) {
                read.limit(1);
                assertEquals(1, reader.read(read));
                read.limit(BYTES);
                node = restartDuring(node, () -> {
                    while (read.hasRemaining()) {
                        reader.read(read);
                    }
                    return reader;
                });
            }
        } finally {
            node.close();
        }
        assertArrayEquals(bytes, read.array());
    }
}
