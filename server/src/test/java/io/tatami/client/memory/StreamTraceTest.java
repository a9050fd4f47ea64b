package io.tatami.client.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.rpc.Traceparent;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The traces of streams to and from block servers. */
final class StreamTraceTest {
    private static final int BYTES = 100_000;

    /** The traces of one stream that writes, and of one that reads. */
    private static List<ByteString> traces(Map<String, String> settings) throws Exception {
        try (MemoryCluster cluster = new MemoryCluster(1)) {
            TatamiClient client = cluster.client(settings);
            TatamiPath file = TatamiPath.ROOT.listedChild("f");
            try (FileWriter writer = client.create(file, CreateSpec.DEFAULT)) {
                writer.write(new byte[BYTES], 0, BYTES);
            }
            try (FileReader reader = client.open(file, ReadPolicy.SEQUENTIAL)) {
                assertTrue(reader.read(ByteBuffer.allocate(BYTES)) > 0);
            }
            FakeBlocks server = cluster.blocks.get(0);
            assertEquals(1, server.writeStreams());
            assertEquals(1, server.readStreams());
            return server.traces();
        }
    }

    @Test
    void eachStreamHasATraceOfItsOwn() throws Exception {
        List<ByteString> traces = traces(Map.of());
        assertEquals(2, Set.copyOf(traces).size());
        assertTrue(traces.stream().allMatch(Traceparent::isValid), traces::toString);
    }

    @Test
    void noStreamHasATraceWhereTracesAreOff() throws Exception {
        assertEquals(List.of(ByteString.EMPTY, ByteString.EMPTY), traces(Map.of("tatami.client.trace", "false")));
    }
}
