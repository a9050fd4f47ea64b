package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.auth.HadoopGroups;
import io.tatami.conf.Settings;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files are written on while block servers of three hosts die, and none of their bytes is lost. */
final class BlockServersThatDieTest {
    private static final int BLOCK_BYTES = 4 << 20;
    private static final int PART_BYTES = 1_100_000;
    private static final long VOLUME_BYTES = 128L << 20;
    private static final Path FILE = new Path("/written");
    private static final String WRITERS_HOST = "127.0.0.12";

    @TempDir
    private java.nio.file.Path directory;

    private final byte[] content = new byte[8 * PART_BYTES];

    BlockServersThatDieTest() {
        new Random(43).nextBytes(content);
    }

    /** Three block servers, of which {@link #own} is on the writer's host and so the first of every chain. */
    private final class Cluster implements AutoCloseable {
        private final StandaloneNode node;
        private final URI uri;
        private final FileSystem fs;
        private BlockNode own;
        private final BlockNode other;

        Cluster(int copiesMin) throws Exception {
            Configuration hadoop = new Configuration();
            hadoop.setInt("tatami.client.copies.min", copiesMin);
            hadoop.set("tatami.client.host", WRITERS_HOST);
            node = StandaloneNode.open(
                    new StandaloneNode.Setup(directory.resolve("node"), List.of(), VOLUME_BYTES, "127.0.0.11", 0, 1),
                    new Settings(hadoop::get),
                    new HadoopGroups(hadoop));
            uri = URI.create(node.uri());
            hadoop.set("fs.defaultFS", node.uri());
            own = opened("own", WRITERS_HOST);
            other = opened("other", "127.0.0.13");
            fs = FileSystem.newInstance(uri, hadoop);
        }

        private BlockNode opened(String name, String host) throws Exception {
            return JoinedBlockServer.open(directory.resolve(name), VOLUME_BYTES, host, uri);
        }

        void restartOwn() throws Exception {
            own.close();
            own = opened("own", WRITERS_HOST);
        }

        FSDataOutputStream create(int copies) throws IOException {
            return fs.create(FILE, true, 4096, (short) copies, BLOCK_BYTES);
        }

        void write(FSDataOutputStream out, int part) throws IOException {
            out.write(content, part * PART_BYTES, PART_BYTES);
        }

        void assertFlushed(int parts) throws IOException {
            byte[] read = new byte[parts * PART_BYTES];
            try (FSDataInputStream in = fs.open(FILE)) {
                in.readFully(0, read);
            }
            assertArrayEquals(Arrays.copyOf(content, read.length), read);
        }

        BlockLocation[] assertWritten(int parts) throws IOException {
            assertFlushed(parts);
            assertEquals((long) parts * PART_BYTES, fs.getFileStatus(FILE).getLen());
            BlockLocation[] blocks = fs.getFileBlockLocations(FILE, 0, Long.MAX_VALUE);
            long end = 0;
            for (BlockLocation block : blocks) {
                assertEquals(end, block.getOffset());
                end += block.getLength();
            }
            assertEquals((long) parts * PART_BYTES, end);
            return blocks;
        }

        @Override
        public void close() throws IOException {
            fs.close();
            own.close();
            other.close();
            node.close();
        }
    }

    private static List<String> hosts(BlockLocation block) throws IOException {
        return Arrays.stream(block.getHosts()).sorted().toList();
    }

    @Test
    void theLastServerOfAChainDiesInMidBlock() throws Exception {
        try (Cluster cluster = new Cluster(1)) {
            try (FSDataOutputStream out = cluster.create(3)) {
                cluster.write(out, 0);
                out.hflush();
                cluster.write(out, 1);
                cluster.other.close();
                cluster.write(out, 2);
                out.hflush();
                cluster.assertFlushed(3);
                cluster.write(out, 3);
                out.hsync();
                cluster.write(out, 4);
            }
            BlockLocation[] blocks = cluster.assertWritten(5);
            for (BlockLocation block : blocks) {
                assertEquals(List.of("127.0.0.11", WRITERS_HOST), hosts(block));
            }
        }
    }

    @Test
    void twoServersDieOneAfterTheOther() throws Exception {
        try (Cluster cluster = new Cluster(1)) {
            try (FSDataOutputStream out = cluster.create(3)) {
                cluster.write(out, 0);
                out.hflush();
                cluster.own.close();
                cluster.write(out, 1);
                out.hflush();
                cluster.assertFlushed(2);
                cluster.other.close();
                cluster.write(out, 2);
                out.hflush();
                cluster.assertFlushed(3);
                cluster.write(out, 3);
            }
            BlockLocation[] blocks = cluster.assertWritten(4);
            assertEquals(List.of("127.0.0.11"), hosts(blocks[blocks.length - 1]));
        }
    }

    @Test
    void anAppendAfterALossBeginsANewBlock() throws Exception {
        try (Cluster cluster = new Cluster(1)) {
            try (FSDataOutputStream out = cluster.create(3)) {
                cluster.write(out, 0);
            }
            cluster.other.close();
            try (FSDataOutputStream out = cluster.fs.append(FILE)) {
                cluster.write(out, 1);
                out.hflush();
                cluster.assertFlushed(2);
                cluster.write(out, 2);
            }
            BlockLocation[] blocks = cluster.assertWritten(3);
            assertEquals(PART_BYTES, blocks[0].getLength());
            assertFalse(hosts(blocks[1]).contains("127.0.0.13"), () -> Arrays.toString(blocks));
        }
    }

    /** The block that was sealed has one copy at first. */
    @Test
    void theCloseWaitsForTheCopiesThatAreMade() throws Exception {
        try (Cluster cluster = new Cluster(2)) {
            try (FSDataOutputStream out = cluster.create(2)) {
                cluster.write(out, 0);
                out.hflush();
                cluster.own.close();
                cluster.write(out, 1);
            }
            for (BlockLocation block : cluster.assertWritten(2)) {
                assertEquals(List.of("127.0.0.11", "127.0.0.13"), hosts(block));
            }
        }
    }

    /** Nobody else has the bytes: the writer waits for the server. */
    @Test
    void theServerOfTheOnlyCopyIsRestarted() throws Exception {
        ExecutorService restarts = Executors.newSingleThreadExecutor();
        try (Cluster cluster = new Cluster(1)) {
            List<Future<?>> restarted = new ArrayList<>();
            try (FSDataOutputStream out = cluster.create(1)) {
                cluster.write(out, 0);
                out.hflush();
                assertEquals(List.of(WRITERS_HOST), hosts(cluster.fs.getFileBlockLocations(FILE, 0, 1)[0]));
                restarted.add(restarts.submit(() -> {
                    cluster.restartOwn();
                    return cluster;
                }));
                cluster.write(out, 1);
                out.hflush();
                cluster.assertFlushed(2);
                cluster.write(out, 2);
            }
            restarted.get(0).get();
            assertTrue(cluster.assertWritten(3).length > 0);
        } finally {
            restarts.shutdownNow();
        }
    }
    /** The length of an open file is known by its servers only: the reader waits as the writer does. */
    @Test
    void aFileThatIsWrittenIsOpenedWhileTheServerOfItsOnlyCopyIsRestarted() throws Exception {
        try (Cluster cluster = new Cluster(1);
                FSDataOutputStream out = cluster.create(1)) {
            cluster.write(out, 0);
            out.hflush();
            assertWaitsForRestart(cluster, () -> {
                cluster.assertFlushed(1);
                return true;
            });
            cluster.write(out, 1);
            out.hflush();
            cluster.assertFlushed(2);
        }
    }

    @Test
    void aChecksumWaitsForTheServerOfTheOnlyCopy() throws Exception {
        try (Cluster cluster = new Cluster(1)) {
            try (FSDataOutputStream out = cluster.create(1)) {
                cluster.write(out, 0);
            }
            FileChecksum before = cluster.fs.getFileChecksum(FILE);
            assertEquals(before, assertWaitsForRestart(cluster, () -> cluster.fs.getFileChecksum(FILE)));
        }
    }

    private static <T> T assertWaitsForRestart(Cluster cluster, Callable<T> use) throws Exception {
        ExecutorService users = Executors.newSingleThreadExecutor();
        try {
            cluster.own.close();
            Future<T> used = users.submit(use);
            assertThrows(TimeoutException.class, () -> used.get(1, TimeUnit.SECONDS));
            cluster.own = cluster.opened("own", WRITERS_HOST);
            return used.get();
        } finally {
            users.shutdownNow();
        }
    }
}
