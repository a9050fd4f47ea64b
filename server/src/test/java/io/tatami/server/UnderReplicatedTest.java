package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.FsckReport;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.Patience;
import io.tatami.server.node.StandaloneNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One block server cannot hold two copies of a block; what is asked for is kept, and what is missing is told. */
final class UnderReplicatedTest {
    private static final TatamiPath THREE = TatamiPath.ROOT.listedChild("three");
    private static final TatamiPath ONE = TatamiPath.ROOT.listedChild("one");

    private static final int FILES = 12;

    @TempDir
    private Path directory;

    @Test
    void filesThatAskForMoreCopiesThanThereAreServersAreWrittenAndTold() throws Exception {
        try (StandaloneNode node = StandaloneNode.open(
                        new StandaloneNode.Setup(directory, List.of(), 64L << 20, "localhost", 0, 2),
                        Settings.of(Map.of()),
                        user -> List.of());
                TatamiClient client = ClusterAddress.of(node.uri())
                        .connect(new Patience(Duration.ofMinutes(1), Duration.ofMinutes(2), System.err::println))) {
            write(client, ONE, 1);
            assertSound(node, client);

            write(client, THREE, 3);
            assertEquals(3, client.status(THREE, true).replication());
            FsckReport report = client.cluster().fsck(TatamiPath.ROOT);
            assertEquals(List.of(), report.findings());
            assertEquals(2, report.health().getHealthy());
            assertEquals(1, report.health().getBeyondHosts());
            assertEquals(2, report.health().getCopiesBeyondHosts());
            assertEquals(1, client.cluster().fsck(THREE).health().getBeyondHosts());
            assertEquals(0, client.cluster().fsck(ONE).health().getBeyondHosts());
            String fsck = CommandRun.run(ExitCode.DONE, "fsck", node.uri());
            assertTrue(
                    fsck.contains("1 blocks of files that ask for more copies than there are hosts: 2 copies"), fsck);
            assertTrue(fsck.contains("blocks: 2 healthy, 0 under-replicated"), fsck);
            String status = CommandRun.run(ExitCode.DONE, "status", node.uri());
            assertTrue(status.contains("1 files ask for more copies (up to 3)"), status);
            assertTrue(status.contains("it has 1 block servers"), status);

            setReplication(client, THREE, 1);
            assertSound(node, client);
            setReplication(client, ONE, 2);
            assertEquals(1, client.cluster().fsck(TatamiPath.ROOT).health().getCopiesBeyondHosts());
        }
    }

    /** Files keep their homes when they are renamed to a directory of another shard. */
    @Test
    void filesBelowADirectoryAreCheckedWhereverTheirHomesAre() throws Exception {
        try (StandaloneNode node = StandaloneNode.open(
                        new StandaloneNode.Setup(directory, List.of(), 64L << 20, "localhost", 0, 2),
                        Settings.of(Map.of()),
                        user -> List.of());
                TatamiClient client = ClusterAddress.of(node.uri())
                        .connect(new Patience(Duration.ofMinutes(1), Duration.ofMinutes(2), System.err::println))) {
            TatamiPath from = TatamiPath.of("/from");
            client.mkdirs(from, CreateSpec.modes(0755, 0), false);
            for (int i = 0; i < FILES; i++) {
                TatamiPath to = TatamiPath.of("/to-" + i);
                client.mkdirs(to, CreateSpec.modes(0755, 0), false);
                write(client, from.listedChild("f"), 1);
                client.rename(from.listedChild("f"), to.listedChild("f"), false);
                FsckReport report = client.cluster().fsck(to);
                assertEquals(1, report.files());
                assertEquals(1, report.blocks());
                assertEquals(1, report.health().getHealthy());
                assertEquals(List.of(), report.findings());
                assertEquals(1, client.cluster().fsck(to.listedChild("f")).blocks());
            }
            assertEquals(FILES, client.cluster().fsck(TatamiPath.ROOT).blocks());
            assertEquals(
                    FILES,
                    CommandRun.run(ExitCode.DONE, "fsck", node.uri(), "-blocks")
                            .lines()
                            .filter(line -> line.matches("/to-[0-9]+/f: 300000 bytes.* 1 blocks"))
                            .count());
        }
    }

    private static void assertSound(StandaloneNode node, TatamiClient client) throws Exception {
        assertEquals(List.of(), client.cluster().fsck(TatamiPath.ROOT).findings());
        assertFalse(CommandRun.run(ExitCode.DONE, "status", node.uri()).contains("files ask for more copies"));
    }

    private static void write(TatamiClient client, TatamiPath path, int copies) throws Exception {
        try (FileWriter writer = client.create(path, CreateSpec.DEFAULT.withReplication(copies))) {
            writer.write(new byte[300_000], 0, 300_000);
        }
    }

    private static void setReplication(TatamiClient client, TatamiPath path, int copies) throws Exception {
        client.setAttributes(
                path, AttributeChange.newBuilder().setReplication(copies).build());
    }
}
