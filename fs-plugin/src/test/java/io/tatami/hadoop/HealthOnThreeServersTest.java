package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.auth.HadoopGroups;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.ClusterStatus;
import io.tatami.client.model.FsckReport;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.BlockHealthCounts;
import io.tatami.protocol.wire.ChangeBlockServerRequest;
import io.tatami.protocol.wire.FsckRequest;
import io.tatami.server.cli.TatamiServer;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.StandaloneNode;
import io.tatami.server.status.CopiesState;
import io.tatami.server.status.StatusReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * A cluster of three block servers in two racks, of which one has died, with a damaged copy and a file that asks for
 * ten copies: fsck, status, block locations and the list of corrupt files say the same of it.
 */
final class HealthOnThreeServersTest {
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int FILE_BYTES = 300_000;
    private static final long VOLUME_BYTES = 64L << 20;
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Path DAMAGED = new Path("/damaged");
    private static final Path AWAY = new Path("/away");
    private static final Path TEN = new Path("/ten");
    /** On the other servers: copies are given up on the fullest one, so one stays on the third. */
    private static final Path FILLER = new Path("/filler");

    private static final Path BOTH = new Path("/both");

    @TempDir
    private java.nio.file.Path directory;

    private final Random random = new Random(7);

    @Test
    void allThatTellOfADamagedClusterAgree() throws Exception {
        Configuration hadoop = new Configuration();
        hadoop.set("tatami.copies.lost-after", "1s");
        try (StandaloneNode node = StandaloneNode.open(
                        new StandaloneNode.Setup(
                                directory.resolve("first"), List.of(), VOLUME_BYTES, "localhost", 0, 2),
                        new Settings(hadoop::get),
                        new HadoopGroups(hadoop));
                TatamiClient client = connect(URI.create(node.uri()));
                FileSystem fs = FileSystem.newInstance(URI.create(node.uri()), hadoop)) {
            URI uri = URI.create(node.uri());
            byte[] bytes = write(fs, DAMAGED, 1);
            try (BlockNode second = blockServer("second", "127.0.0.12", uri)) {
                byte[] more = write(fs, FILLER, 2);
                assertEquals(FILE_BYTES, more.length);
                await("two copies", () -> locations(fs, FILLER)[0].getHosts().length == 2);
                BlockNode third = blockServer("third", "127.0.0.13", uri);
                try (third) {
                    writeOn(fs, third);
                    assertTrue(fs.delete(FILLER, false));
                    // Only now: a second rack would have a copy of the filler made there.
                    setRack(client, third, "/far");
                    byte[] unused = write(fs, TEN, 10);
                    await("three copies", () -> locations(fs, TEN)[0].getHosts().length == 3);
                }
                FlippedBit.in(directory.resolve("first"), VOLUME_BYTES, bytes);
                assertThrows(IOException.class, () -> read(fs, DAMAGED));
                await("one block is missing", () -> health(client).getMissing() == 1);
                await("one block is damaged", () -> health(client).getDamaged() == 1);
                byte[] unused = write(fs, BOTH, 2);
                await("two copies", () -> locations(fs, BOTH)[0].getHosts().length == 2);
                assertAgreement(node, client, fs);
                assertTrue(second.id() != third.id());
            }
        }
    }

    private static void assertAgreement(StandaloneNode node, TatamiClient client, FileSystem fs) throws Exception {
        BlockHealthCounts health = health(client);
        assertEquals(1, health.getDamaged(), health::toString);
        assertEquals(1, health.getMissing(), health::toString);
        assertEquals(1, health.getUnderReplicated(), health::toString);
        assertEquals(1, health.getCopiesLacking(), health::toString);
        assertEquals(7, health.getCopiesBeyondHosts(), health::toString);
        assertEquals(1, health.getHealthy(), health::toString);

        Set<String> unreadable = Set.of("/away", "/damaged");
        assertEquals(unreadable, new TreeSet<>(lines(node, "--corrupt")));
        assertEquals(List.of("/ten"), lines(node, "--under"));
        assertEquals(List.of(), lines(node, "--open"));
        Set<String> corrupt = new TreeSet<>();
        for (RemoteIterator<Path> files = fs.listCorruptFileBlocks(new Path("/")); files.hasNext(); ) {
            corrupt.add(files.next().toUri().getPath());
        }
        assertEquals(unreadable, corrupt);
        for (Path path : List.of(DAMAGED, AWAY, TEN, BOTH)) {
            assertEquals(unreadable.contains(path.toString()), locations(fs, path)[0].isCorrupt(), path::toString);
        }
        assertEquals(0, locations(fs, AWAY)[0].getHosts().length);
        assertEquals(1, locations(fs, DAMAGED)[0].getHosts().length);
        assertEquals(2, locations(fs, TEN)[0].getHosts().length);

        assertStatusAgrees(client, fs);
        assertBlockIsFound(node, client);
    }

    /** The leader counts what waits as it looks at it, so what it tells is some seconds old. */
    private static void assertStatusAgrees(TatamiClient client, FileSystem fs) throws Exception {
        await("the leaders find what fsck finds", () -> {
            BlockHealthCounts waiting =
                    StatusReport.of(client.cluster()).copies().health();
            return waiting.getDamaged() == 1
                    && waiting.getMissing() == 1
                    && waiting.getUnderReplicated() == 1
                    && waiting.getCopiesLacking() == 1
                    && waiting.getCopiesBeyondHosts() == 7;
        });
        CopiesState copies = StatusReport.of(client.cluster()).copies();
        assertTrue(copies.tooFewBlocks() + copies.lastCopyBlocks() >= 3, copies::toString);
        ClusterStatus cluster = client.cluster().status();
        FsStatus status = fs.getStatus();
        assertEquals(cluster.capacityBytes(), status.getCapacity());
        assertTrue(cluster.capacityBytes() <= 2 * VOLUME_BYTES, "a dead server's room counts");
    }

    private static void assertBlockIsFound(StandaloneNode node, TatamiClient client) throws Exception {
        List<String> id = new ArrayList<>();
        FsckReport.Collected found = new FsckReport.Collected();
        client.cluster().fsck(TatamiPath.of("/damaged"), FsckRequest.getDefaultInstance(), found);
        found.problems()
                .forEach(problem -> id.add(Long.toHexString(problem.finding().getBlockId())));
        String told = run(ExitCode.FAILED, "fsck", node.uri(), "--block", id.get(0), "-racks");
        assertTrue(told.startsWith("/damaged: 300000 bytes"), told);
        assertTrue(told.contains("damaged"), told);
        assertTrue(told.contains("/default-rack"), told);
        String all = run(ExitCode.FAILED, "fsck", node.uri(), "-blocks", "-locations");
        assertTrue(all.contains("/both: 300000 bytes, asks for 2 copies, 1 blocks"), all);
        assertTrue(all.contains("1 damaged, 1 missing, 0 unknown"), all);
        assertFalse(all.contains("/both: is"), all);
    }

    private static BlockHealthCounts health(TatamiClient client) throws IOException {
        return client.cluster().fsck(TatamiPath.ROOT).health();
    }

    private static List<String> lines(StandaloneNode node, String option) {
        return run(ExitCode.FAILED, "fsck", node.uri(), option).lines().toList();
    }

    private static String run(int code, String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command =
                TatamiServer.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        assertEquals(code, command.execute(words), () -> out + "" + err);
        return out.toString();
    }

    private byte[] write(FileSystem fs, Path path, int copies) throws IOException {
        byte[] content = new byte[FILE_BYTES];
        random.nextBytes(content);
        try (FSDataOutputStream out = fs.create(path, true, 4096, (short) copies, BLOCK_BYTES)) {
            out.write(content);
        }
        return content;
    }

    /** One copy of a file on the emptiest server, once the cluster knows which one that is. */
    private void writeOn(FileSystem fs, BlockNode server) throws Exception {
        Instant end = Instant.now().plus(PATIENCE);
        String id = server.id().toString();
        byte[] unused = write(fs, AWAY, 3);
        await("three copies", () -> locations(fs, AWAY)[0].getHosts().length == 3);
        while (true) {
            assertTrue(fs.setReplication(AWAY, (short) 1));
            await("one copy", () -> locations(fs, AWAY)[0].getHosts().length == 1);
            if (locations(fs, AWAY)[0].getStorageIds()[0].equals(id)) {
                return;
            }
            assertTrue(Instant.now().isBefore(end), "no copy stays on the third server");
            assertTrue(fs.delete(AWAY, false));
            byte[] again = write(fs, AWAY, 3);
            assertEquals(FILE_BYTES, again.length);
            await("three copies", () -> locations(fs, AWAY)[0].getHosts().length == 3);
        }
    }

    private static BlockLocation[] locations(FileSystem fs, Path path) throws IOException {
        BlockLocation[] locations = fs.getFileBlockLocations(path, 0, Long.MAX_VALUE);
        assertEquals(1, locations.length, () -> Arrays.toString(locations));
        return locations;
    }

    private static void read(FileSystem fs, Path path) throws IOException {
        try (FSDataInputStream in = fs.open(path)) {
            in.readFully(0, new byte[FILE_BYTES]);
        }
    }

    private static void await(String what, Callable<Boolean> condition) throws Exception {
        Instant end = Instant.now().plus(PATIENCE);
        while (!condition.call()) {
            assertTrue(Instant.now().isBefore(end), what);
            Thread.sleep(100);
        }
    }

    private static void setRack(TatamiClient client, BlockNode server, String rack) throws IOException {
        client.cluster()
                .changeBlockServer(ChangeBlockServerRequest.newBuilder()
                        .setServerId(server.id().value())
                        .setAction(ChangeBlockServerRequest.Action.SET_RACK)
                        .setRack(rack)
                        .build());
    }

    private static TatamiClient connect(URI metadata) throws IOException {
        return TatamiClient.connect(
                metadata.getAuthority(), UserIdentity.of(System.getProperty("user.name")), Settings.defaults());
    }

    private BlockNode blockServer(String name, String host, URI metadata) throws Exception {
        return JoinedBlockServer.open(directory.resolve(name), VOLUME_BYTES, host, metadata);
    }
}
