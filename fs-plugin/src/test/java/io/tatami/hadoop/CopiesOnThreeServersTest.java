package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.client.TatamiClient;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.server.cli.TatamiServer;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.node.BlockNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Copies that three block servers of three hosts make and give up, as a Hadoop program sees it. */
final class CopiesOnThreeServersTest {
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int FILE_BYTES = 3 * BLOCK_BYTES + 12_345;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Path FILE = new Path("/copies");

    @TempDir
    private java.nio.file.Path directory;

    @Test
    void setReplicationMakesCopiesAndGivesThemUp() throws Exception {
        try (GrowingCluster cluster = new GrowingCluster(directory);
                BlockNode second = cluster.startSecond();
                BlockNode third = cluster.startThird()) {
            FileSystem fs = cluster.fs();
            assertTrue(second.id() != third.id());
            byte[] content = new byte[FILE_BYTES];
            new Random(41).nextBytes(content);
            try (FSDataOutputStream out = fs.create(FILE, true, 4096, (short) 1, BLOCK_BYTES)) {
                out.write(content);
            }
            awaitCopies(fs, 1, 4);
            assertEquals(
                    0, ToolRunner.run(new FsShell(cluster.hadoop()), new String[] {"-setrep", "-w", "3", "/copies"}));
            assertCopies(fs, 3, 4);
            for (int copies : new int[] {1, 2}) {
                assertTrue(fs.setReplication(FILE, (short) copies));
                awaitCopies(fs, copies, 4);
                assertArrayEquals(content, read(fs, FILE_BYTES));
            }
            appendAndCopyAgain(fs, content);
        }
    }

    @Test
    void copiesOnAVolumeThatIsGivenUpAreMadeAgainWithinSeconds() throws Exception {
        try (GrowingCluster cluster = new GrowingCluster(directory);
                BlockNode second = cluster.startSecond();
                BlockNode third = cluster.startThird();
                TatamiClient client = cluster.connect()) {
            assertTrue(second.id() != third.id());
            String server = String.valueOf(third.id().value());
            String volume = directory.resolve("more").toString();
            changeVolume(cluster, "add", server, volume, "--capacity", "128m");
            int files = 0;
            while (blocks(client, third, volume) == 0) {
                byte[] content = new byte[BLOCK_BYTES / 2];
                try (FSDataOutputStream out =
                        cluster.fs().create(new Path("/f" + files), true, 4096, (short) 3, BLOCK_BYTES)) {
                    out.write(content);
                }
                files++;
            }
            long lost = blocks(client, third, volume);
            long left = blocks(client, third) - lost;
            assertEquals(files, left + lost, "every file has a copy on every server");

            changeVolume(cluster, "remove", server, volume, "--give-up");

            Instant end = Instant.now().plus(PATIENCE);
            while (blocks(client, third) < files) {
                assertTrue(Instant.now().isBefore(end), "copies are not made again");
                Thread.sleep(50);
            }
        }
    }

    private static void changeVolume(
            GrowingCluster cluster, String verb, String server, String volume, String... options) {
        List<String> words = new ArrayList<>(List.of("admin", "volume", verb, cluster.uri(), server, volume));
        words.addAll(List.of(options));
        StringWriter told = new StringWriter();
        CommandLine command =
                TatamiServer.commandLine().setOut(new PrintWriter(told)).setErr(new PrintWriter(told));
        assertEquals(ExitCode.DONE, command.execute(words.toArray(String[]::new)), told::toString);
    }

    private static long blocks(TatamiClient client, BlockNode server) throws Exception {
        return volumes(client, server).stream()
                .mapToLong(VolumeStatus::getBlocks)
                .sum();
    }

    private static long blocks(TatamiClient client, BlockNode server, String path) throws Exception {
        return volumes(client, server).stream()
                .filter(volume -> volume.getPath().equals(path))
                .mapToLong(VolumeStatus::getBlocks)
                .sum();
    }

    private static List<VolumeStatus> volumes(TatamiClient client, BlockNode server) throws Exception {
        BlockServerInfo info = client.cluster().map().getBlockServerList().stream()
                .filter(one -> one.getServerId() == server.id().value())
                .findFirst()
                .orElseThrow();
        return client.cluster().blockServerStatus(info, 10_000).getVolumeList();
    }

    private static void appendAndCopyAgain(FileSystem fs, byte[] content) throws Exception {
        byte[] longer = Arrays.copyOf(content, FILE_BYTES + 100_000);
        new Random(42).nextBytes(longer);
        System.arraycopy(content, 0, longer, 0, content.length);
        try (FSDataOutputStream out = fs.append(FILE)) {
            out.write(longer, FILE_BYTES, 100_000);
        }
        assertTrue(fs.setReplication(FILE, (short) 3));
        awaitCopies(fs, 3, 4);
        assertArrayEquals(longer, read(fs, longer.length));
    }

    private static byte[] read(FileSystem fs, int length) throws IOException {
        byte[] read = new byte[length];
        try (FSDataInputStream in = fs.open(FILE)) {
            in.readFully(0, read);
        }
        return read;
    }

    /** What the shell waits for is what it then sees. */
    private static void assertCopies(FileSystem fs, int copies, int blocks) throws IOException {
        BlockLocation[] locations = fs.getFileBlockLocations(FILE, 0, Long.MAX_VALUE);
        assertEquals(blocks, locations.length);
        for (BlockLocation location : locations) {
            assertEquals(copies, location.getHosts().length, location::toString);
        }
    }

    private static void awaitCopies(FileSystem fs, int copies, int blocks) throws Exception {
        Instant end = Instant.now().plus(PATIENCE);
        while (true) {
            BlockLocation[] locations = fs.getFileBlockLocations(FILE, 0, Long.MAX_VALUE);
            assertEquals(blocks, locations.length);
            boolean done = true;
            for (BlockLocation location : locations) {
                done &= location.getHosts().length == copies;
            }
            if (done) {
                return;
            }
            assertTrue(Instant.now().isBefore(end), () -> copies + " copies are wanted: " + Arrays.toString(locations));
            Thread.sleep(50);
        }
    }
}
