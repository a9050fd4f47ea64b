package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.auth.HadoopGroups;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.AccessPlan;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.mapred.SplitLocationInfo;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where blocks of three copies are, and are staged, on three block servers of three hosts with a cache tier each. */
final class StagedOnThreeServersTest {
    private static final int BLOCK_BYTES = 4 << 20;
    private static final int BLOCKS = 9;
    private static final int FILE_BYTES = BLOCKS * BLOCK_BYTES;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Set<String> HOSTS = Set.of("localhost", "127.0.0.12", "127.0.0.13");

    @TempDir
    static java.nio.file.Path directory;

    private static StandaloneNode node;
    private static BlockNode second;
    private static BlockNode third;
    private static Configuration configuration;
    private static TatamiFileSystem fs;

    @BeforeAll
    static void start() throws IOException {
        Configuration hadoop = new Configuration();
        node = StandaloneNode.open(
                new StandaloneNode.Setup(
                        directory.resolve("node"),
                        List.of(),
                        512L << 20,
                        "localhost",
                        0,
                        1,
                        new BlockNode.CachePlace(null, 2L * FILE_BYTES)),
                new Settings(hadoop::get),
                new HadoopGroups(hadoop));
        second = server("second", "127.0.0.12");
        third = server("third", "127.0.0.13");
        configuration = new Configuration();
        configuration.set("fs.defaultFS", node.uri());
        configuration.setInt("tatami.client.block.size", BLOCK_BYTES);
        configuration.setInt("tatami.client.replication", 3);
        configuration.set("tatami.client.host", "elsewhere");
        fs = (TatamiFileSystem) FileSystem.newInstance(URI.create(node.uri()), configuration);
    }

    private static BlockNode server(String name, String host) throws IOException {
        URI metadata = URI.create(node.uri());
        UUID cluster;
        UserIdentity user = UserIdentity.of(System.getProperty("user.name"));
        try (TatamiClient client = TatamiClient.connect(metadata.getAuthority(), user, Settings.defaults())) {
            cluster = client.clusterId();
        }
        return BlockNode.open(
                new BlockNode.Setup(
                        directory.resolve(name),
                        List.of(),
                        512L << 20,
                        host,
                        0,
                        new BlockNode.CachePlace(null, 2L * FILE_BYTES),
                        ""),
                cluster,
                List.of(InetSocketAddress.createUnresolved(metadata.getHost(), metadata.getPort())),
                BlockServerSettings.from(Settings.of(Map.of())));
    }

    @AfterAll
    static void stop() throws IOException {
        fs.close();
        third.close();
        second.close();
        node.close();
    }

    @Test
    void locationsNameHostsAsNodeManagersAreNamed() throws Exception {
        Path file = write("/located", 2 * BLOCK_BYTES, 1);

        BlockLocation[] blocks = fs.getFileBlockLocations(file, 0, FILE_BYTES);

        assertEquals(2, blocks.length);
        for (BlockLocation block : blocks) {
            assertEquals(HOSTS, Set.of(block.getHosts()));
            assertEquals(3, new HashSet<>(List.of(block.getStorageIds())).size());
            for (int copy = 0; copy < 3; copy++) {
                String host = block.getHosts()[copy];
                assertTrue(block.getNames()[copy].matches(host + ":[0-9]+"), block.getNames()[copy]);
                assertEquals("/default-rack/" + block.getNames()[copy], block.getTopologyPaths()[copy]);
                assertEquals(StorageType.DISK, block.getStorageTypes()[copy]);
            }
        }
        assertEquals(0, fs.getFileBlockLocations(write("/empty", 0, 1), 0, 1).length);
        BlockLocation[] small = fs.getFileBlockLocations(write("/small", 1_000, 1), 0, 1_000);
        assertEquals(1, small.length);
        assertEquals(HOSTS, Set.of(small[0].getHosts()), "every host reads it equally well");
    }

    @Test
    void aPlanStagesOneCopyOfEachBlockAndFillsAllTiersEvenly() throws Exception {
        Path file = write("/spread", FILE_BYTES, 2);
        AccessPlan plan = AccessPlan.inOrder(fs.planned(file));
        fs.prefetch(plan);
        awaitStaged(plan.id());

        Map<String, Integer> blocksOfHost = new TreeMap<>();
        for (BlockLocation block : fs.getFileBlockLocations(file, 0, FILE_BYTES)) {
            assertEquals(1, block.getCachedHosts().length);
            blocksOfHost.merge(block.getCachedHosts()[0], 1, Integer::sum);
        }
        assertEquals(HOSTS, blocksOfHost.keySet());
        assertEven(blocksOfHost.values());
        try (FSDataInputStream in = fs.open(file)) {
            assertArrayEquals(bytes(FILE_BYTES, 2), in.readAllBytes());
            assertEquals(
                    (long) FILE_BYTES, in.getIOStatistics().counters().get("stream_read_cached_bytes"), "equally near");
        }
        fs.cancelPlan(plan.id());
    }

    @Test
    void locationsMayNameOnlyTheHostsThatHaveABlockStaged() throws Exception {
        Path file = write("/only", 2 * BLOCK_BYTES, 3);
        AccessPlan plan = AccessPlan.inOrder(fs.planned(file, BLOCK_BYTES, BLOCK_BYTES));
        fs.prefetch(plan);
        awaitStaged(plan.id());
        Configuration own = new Configuration(configuration);
        own.setBoolean("fs.tatami.locations.staged-only", true);
        try (FileSystem stagedOnly = FileSystem.newInstance(URI.create(node.uri()), own)) {
            BlockLocation[] blocks = stagedOnly.getFileBlockLocations(file, 0, FILE_BYTES);

            assertEquals(HOSTS, Set.of(blocks[0].getHosts()));
            assertEquals(1, blocks[1].getHosts().length);
            assertArrayEquals(blocks[1].getCachedHosts(), blocks[1].getHosts());
            assertEquals(1, blocks[1].getNames().length);
            assertEquals(1, blocks[1].getTopologyPaths().length);
        }
        fs.cancelPlan(plan.id());
    }

    @Test
    void theSplitsOfAPlannedJobNameTheHostThatWillHaveThemStaged() throws Exception {
        write("/input/part", FILE_BYTES, 4);
        Configuration own = new Configuration(configuration);
        own.setBoolean("fs.tatami.prefetch.input", true);
        own.setBoolean("fs.tatami.impl.disable.cache", true);
        Job job = Job.getInstance(own);
        FileInputFormat.addInputPath(job, new Path(node.uri() + "/input"));

        List<InputSplit> splits = new TextInputFormat().getSplits(job);

        assertEquals(BLOCKS, splits.size());
        Map<String, Integer> splitsOfHost = new TreeMap<>();
        for (InputSplit split : splits) {
            SplitLocationInfo[] places = split.getLocationInfo();
            assertEquals(1, places.length, () -> Arrays.toString(places));
            assertTrue(places[0].isInMemory());
            splitsOfHost.merge(split.getLocations()[0], 1, Integer::sum);
        }
        assertEven(splitsOfHost.values());
    }

    private static void assertEven(Collection<Integer> counts) {
        assertEquals(List.of(BLOCKS / 3, BLOCKS / 3, BLOCKS / 3), List.copyOf(counts));
    }

    private static Path write(String path, int length, long seed) throws IOException {
        try (FSDataOutputStream out = fs.create(new Path(path))) {
            out.write(bytes(length, seed));
        }
        return new Path(path);
    }

    private static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static void awaitStaged(UUID plan) throws IOException, InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        AccessPlan.Progress now = fs.planProgress(plan);
        while (now.remainingBytes() > 0) {
            assertTrue(System.nanoTime() < end, "staged only " + now);
            Thread.sleep(10);
            now = fs.planProgress(plan);
        }
    }
}
