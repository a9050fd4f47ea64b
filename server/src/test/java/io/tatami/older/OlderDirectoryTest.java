package io.tatami.older;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories that were recorded with the commits that name them are opened, with every name and byte. */
final class OlderDirectoryTest {
    private static final byte[] NEW = new byte[100_000];
    private static final TatamiPath NEW_FILE = TatamiPath.ROOT.listedChild("new");

    @TempDir
    private Path directory;

    private interface Start {
        OlderCluster at(Path directory) throws IOException, InterruptedException;
    }

    @Test
    void aKilledStandaloneServersDirectoryOpens() throws Exception {
        assertOpens("733f3c5a-standalone.zip", OlderCluster::standalone);
    }

    @Test
    void aReplicatedServersDirectoryOpens() throws Exception {
        assertOpens("733f3c5a-replicated.zip", OlderCluster::replicated);
    }

    /** It opens, takes a new file, and opens once more. */
    private void assertOpens(String recorded, Start start) throws Exception {
        try (InputStream zip = Objects.requireNonNull(getClass().getResourceAsStream("/older/" + recorded), recorded)) {
            RecordedDirectory.unpack(zip, directory.resolve("d"));
        }
        try (OlderCluster cluster = start.at(directory.resolve("d"));
                TatamiClient client = cluster.connect()) {
            SampleTree.assertIn(client);
            try (FileWriter writer = client.create(NEW_FILE, CreateSpec.DEFAULT)) {
                writer.write(NEW, 0, NEW.length);
            }
        }
        try (OlderCluster cluster = start.at(directory.resolve("d"));
                TatamiClient client = cluster.connect()) {
            assertArrayEquals(NEW, SampleTree.read(client, NEW_FILE));
            client.delete(NEW_FILE, false);
            SampleTree.assertIn(client);
        }
    }
}
