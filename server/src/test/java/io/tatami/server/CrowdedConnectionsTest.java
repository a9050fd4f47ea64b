package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.StandaloneNode;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** More streams stay open, to a server and from one to the next, than its connections have requests in flight. */
final class CrowdedConnectionsTest {
    private static final long VOLUME_BYTES = 128L << 20;
    private static final int BYTES = 300_000;
    private static final int STREAMS = 40;
    private static final Settings SETTINGS = Settings.of(Map.of(
            "tatami.rpc.inflight.max", "4",
            "tatami.block.credit.size", "1m",
            "tatami.client.shared.memory", "false"));
    private static final CreateSpec SPEC = CreateSpec.DEFAULT.withReplication(2).withBlockSizeBytes(1 << 20);

    private final List<FileWriter> writers = new ArrayList<>();
    private final List<FileReader> readers = new ArrayList<>();
    private StandaloneNode node;
    private BlockNode other;
    private TatamiClient client;

    @BeforeEach
    void start(@TempDir Path directory) throws Exception {
        node = StandaloneNode.open(
                new StandaloneNode.Setup(directory.resolve("node"), List.of(), VOLUME_BYTES, "localhost", 0, 1),
                SETTINGS,
                user -> List.of());
        ClusterAddress address = ClusterAddress.of(node.uri());
        client = TatamiClient.connect(address.authority(), UserIdentity.of(System.getProperty("user.name")), SETTINGS);
        other = BlockNode.open(
                new BlockNode.Setup(directory.resolve("other"), List.of(), VOLUME_BYTES, "127.0.0.12", 0),
                client.clusterId(),
                address.sockets(),
                BlockServerSettings.from(SETTINGS));
    }

    @AfterEach
    void stop() throws Exception {
        writers.forEach(FileWriter::abort);
        for (FileReader reader : readers) {
            reader.close();
        }
        client.close();
        other.close();
        node.close();
    }

    @Test
    void writersThatRestLetNoOtherOneWait() throws Exception {
        byte[] bytes = new byte[BYTES];
        for (int i = 0; i < STREAMS; i++) {
            FileWriter writer = client.create(TatamiPath.ROOT.listedChild("rests-" + i), SPEC);
            writers.add(writer);
            writer.write(bytes, 0, BYTES);
            writer.hflush();
        }
        for (FileWriter writer : writers) {
            writer.write(bytes, 0, BYTES);
            writer.close();
        }
    }

    @Test
    void readersThatRestLetNoOtherOneWait() throws Exception {
        TatamiPath file = TatamiPath.ROOT.listedChild("read");
        try (FileWriter writer = client.create(file, SPEC)) {
            writer.write(new byte[BYTES], 0, BYTES);
        }
        for (int i = 0; i < STREAMS; i++) {
            FileReader reader = client.open(file, ReadPolicy.SEQUENTIAL);
            readers.add(reader);
            assertEquals(1, reader.read(ByteBuffer.allocate(1)));
        }
    }
}
