package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.auth.HadoopGroups;
import io.tatami.client.model.AccessPlan;
import io.tatami.conf.Settings;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.StandaloneNode;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FutureDataInputStreamBuilder;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options.OpenFileOptions;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Access plans, from Hadoop's interfaces to a standalone server with a cache tier in memory, and back. */
class PrefetchTest {
    private static final int BLOCK_BYTES = 8 << 20;
    private static final long TIER_BYTES = 64L << 20;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir
    static java.nio.file.Path directory;

    private static StandaloneNode node;
    private static Configuration configuration;
    private static TatamiFileSystem fs;

    @BeforeAll
    static void start() throws IOException {
        Configuration hadoop = new Configuration();
        node = StandaloneNode.open(
                new StandaloneNode.Setup(
                        directory.resolve("data"),
                        List.of(),
                        512L << 20,
                        "localhost",
                        0,
                        1,
                        new BlockNode.CachePlace(null, TIER_BYTES)),
                new Settings(hadoop::get),
                new HadoopGroups(hadoop));
        configuration = new Configuration();
        configuration.set("fs.defaultFS", node.uri());
        configuration.setInt("tatami.client.block.size", BLOCK_BYTES);
        fs = (TatamiFileSystem) FileSystem.newInstance(URI.create(node.uri()), configuration);
    }

    @AfterAll
    static void stop() throws IOException {
        fs.close();
        node.close();
    }

    @Test
    void plannedFilesAreReadFromTheTierAndTheStreamsSaySo() throws Exception {
        byte[] first = write("/planned/first", BLOCK_BYTES + 5_000_001, 1);
        byte[] second = write("/planned/second", 3_000_000, 2);

        UUID plan = prefetch(
                AccessPlan.inOrder(fs.planned(new Path("/planned/first")), fs.planned(new Path("/planned/second")))
                        .withReleaseAfterRead());
        awaitStaged(plan);

        try (FSDataInputStream in = fs.open(new Path("/planned/first"))) {
            assertArrayEquals(first, in.readAllBytes());
            assertEquals(first.length, counter(in, "stream_read_cached_bytes"));
            assertEquals(0, counter(in, "stream_read_late_bytes"));
        }
        try (FSDataInputStream in = fs.open(new Path("/planned/second"))) {
            assertArrayEquals(second, in.readAllBytes());
            assertEquals(second.length, counter(in, "stream_read_cached_bytes"));
        }
        AccessPlan.Progress end = fs.planProgress(plan);
        assertEquals(end.plannedBytes(), end.readBytes());
        assertEquals(0, end.waitingBytes());
        fs.cancelPlan(plan);
    }

    @Test
    void locationsNameTheHostsThatHaveABlockStaged() throws Exception {
        write("/located/file", 2 * BLOCK_BYTES, 7);
        UUID plan = prefetch(AccessPlan.inOrder(fs.planned(new Path("/located/file"), BLOCK_BYTES, BLOCK_BYTES)));
        awaitStaged(plan);

        BlockLocation[] blocks = fs.getFileBlockLocations(new Path("/located/file"), 0, 2L * BLOCK_BYTES);
        assertArrayEquals(new String[0], blocks[0].getCachedHosts());
        assertArrayEquals(blocks[1].getHosts(), blocks[1].getCachedHosts());
        LocatedFileStatus listed = fs.listLocatedStatus(new Path("/located")).next();
        assertArrayEquals(blocks[1].getHosts(), listed.getBlockLocations()[1].getCachedHosts());
        fs.cancelPlan(plan);
    }

    @Test
    void aFileLargerThanTheTierIsReadWholeWhileItIsStaged() throws Exception {
        byte[] bytes = write("/large", (int) (2 * TIER_BYTES), 3);

        UUID plan = prefetch(AccessPlan.inOrder(fs.planned(new Path("/large"))).withReleaseAfterRead());

        try (FSDataInputStream in = fs.open(new Path("/large"))) {
            assertArrayEquals(bytes, in.readAllBytes());
            long cached = counter(in, "stream_read_cached_bytes");
            long late = counter(in, "stream_read_late_bytes");
            assertEquals(bytes.length, cached + late);
        }
        AccessPlan.Progress end = fs.planProgress(plan);
        assertEquals(end.plannedBytes(), end.readBytes());
        fs.cancelPlan(plan);
    }

    @Test
    void whatWasNotPlannedIsNeitherStagedNorLate() throws Exception {
        byte[] bytes = write("/unplanned", 5_000_000, 4);

        for (int round = 0; round < 2; round++) {
            try (FSDataInputStream in = fs.open(new Path("/unplanned"))) {
                assertArrayEquals(bytes, in.readAllBytes());
                assertEquals(0, counter(in, "stream_read_cached_bytes"));
                assertEquals(0, counter(in, "stream_read_late_bytes"));
            }
        }
    }

    @Test
    void openFilePlansItsSplit() throws Exception {
        byte[] bytes = write("/opened", 2 * BLOCK_BYTES, 5);
        FutureDataInputStreamBuilder builder = fs.openFile(new Path("/opened"))
                .must("fs.tatami.openfile.prefetch", true)
                .optLong(OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_START, BLOCK_BYTES)
                .optLong(OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_END, 2L * BLOCK_BYTES);

        try (FSDataInputStream in = builder.build().get()) {
            byte[] split = new byte[BLOCK_BYTES];
            in.readFully(BLOCK_BYTES, split);
            assertArrayEquals(java.util.Arrays.copyOfRange(bytes, BLOCK_BYTES, 2 * BLOCK_BYTES), split);
            assertEquals(BLOCK_BYTES, counter(in, "stream_read_cached_bytes") + counter(in, "stream_read_late_bytes"));
            in.readFully(0, new byte[1000]);
            assertEquals(BLOCK_BYTES, counter(in, "stream_read_cached_bytes") + counter(in, "stream_read_late_bytes"));
        }
    }

    @Test
    void aJobsStockInputFormatHasItsSplitsPlannedInTheirOrder() throws Exception {
        List<byte[]> files = new ArrayList<>();
        for (int file = 0; file < 3; file++) {
            files.add(write("/input/part-" + file, BLOCK_BYTES + (file + 1) * 1_000_000, 10 + file));
        }
        List<String> hidden = List.of("/input/_metadata", "/input/.part-0.crc");
        for (String name : hidden) {
            write(name, 100_000, 20);
        }
        Configuration job = new Configuration(configuration);
        job.setBoolean("fs.tatami.prefetch.input", true);
        job.setBoolean("fs.tatami.impl.disable.cache", true);
        Job input = Job.getInstance(job);
        FileInputFormat.addInputPath(input, new Path(node.uri() + "/input"));

        List<InputSplit> splits = new TextInputFormat().getSplits(input);

        // Each file has one whole block, within FileInputFormat's slack of ten per cent, or a block and a rest.
        assertTrue(splits.size() >= 3);
        for (int file = 0; file < 3; file++) {
            try (FSDataInputStream in = fs.open(new Path("/input/part-" + file))) {
                assertArrayEquals(files.get(file), in.readAllBytes());
                assertEquals(
                        files.get(file).length,
                        counter(in, "stream_read_cached_bytes") + counter(in, "stream_read_late_bytes"));
            }
        }
        for (String name : hidden) {
            try (FSDataInputStream in = fs.open(new Path(name))) {
                in.readAllBytes();
                assertEquals(0, counter(in, "stream_read_cached_bytes") + counter(in, "stream_read_late_bytes"), name);
            }
        }
    }

    @Test
    void aPlanIsTakenBack() throws Exception {
        write("/cancelled", BLOCK_BYTES, 6);
        UUID plan = prefetch(AccessPlan.inOrder(fs.planned(new Path("/cancelled"))));
        awaitStaged(plan);

        fs.cancelPlan(plan);

        assertThrows(FileNotFoundException.class, () -> fs.planProgress(plan));
        try (FSDataInputStream in = fs.open(new Path("/cancelled"))) {
            in.readAllBytes();
            assertEquals(0, counter(in, "stream_read_cached_bytes"));
        }
    }

    @Test
    void aMissingFileCannotBePlannedAndNothingBeforeItStaysPlanned() throws Exception {
        write("/there", 5_000_000, 8);

        assertThrows(
                FileNotFoundException.class,
                () -> fs.prefetch(
                        AccessPlan.inOrder(fs.planned(new Path("/there")), fs.planned(new Path("/missing")))));

        try (FSDataInputStream in = fs.open(new Path("/there"))) {
            in.readAllBytes();
            assertEquals(0, counter(in, "stream_read_cached_bytes") + counter(in, "stream_read_late_bytes"));
        }
    }

    @Test
    void aServerWithoutATierSaysSo() throws Exception {
        try (FileSystem other =
                TatamiCluster.shared().newFileSystem(TatamiCluster.shared().configuration())) {
            Path file = new Path("/prefetch-without-tier");
            try (FSDataOutputStream out = other.create(file)) {
                out.write(new byte[100_000]);
            }

            IOException refused = assertThrows(
                    IOException.class,
                    () -> ((TatamiFileSystem) other)
                            .prefetch(AccessPlan.inOrder(((TatamiFileSystem) other).planned(file))));
            assertTrue(String.valueOf(refused.getMessage()).contains("--cache"), refused::toString);
            other.delete(file, false);
        }
    }

    private static byte[] write(String path, int length, long seed) throws IOException {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        try (FSDataOutputStream out = fs.create(new Path(path))) {
            out.write(bytes);
        }
        return bytes;
    }

    /** Has a plan staged, and gives the id under which it is asked for. */
    private static UUID prefetch(AccessPlan plan) throws IOException {
        fs.prefetch(plan);
        return plan.id();
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

    private static long counter(FSDataInputStream in, String name) {
        return in.getIOStatistics().counters().getOrDefault(name, -1L);
    }
}
