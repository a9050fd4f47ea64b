package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.tatami.auth.HadoopGroups;
import io.tatami.conf.Settings;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three block servers of which two end while files are read, through Hadoop's interfaces. */
final class DyingBlockServerTest {
    private static final int FILES = 8;
    private static final int FILE_BYTES = 100_000;
    private static final long VOLUME_BYTES = 64L << 20;

    @TempDir
    private java.nio.file.Path directory;

    @Test
    void filesAreReadOnAndOpenedWhileOneCopyIsLeft() throws Exception {
        Configuration hadoop = new Configuration();
        try (StandaloneNode node = StandaloneNode.open(
                new StandaloneNode.Setup(directory.resolve("node"), List.of(), VOLUME_BYTES, "localhost", 0, 1),
                new Settings(hadoop::get),
                new HadoopGroups(hadoop))) {
            URI uri = URI.create(node.uri());
            hadoop.set("fs.defaultFS", node.uri());
            try (FileSystem fs = FileSystem.newInstance(uri, hadoop)) {
                List<FSDataInputStream> streams = new ArrayList<>();
                try (BlockNode third = blockServer("third", uri)) {
                    try (BlockNode second = blockServer("second", uri)) {
                        assertNotEquals(second.id(), third.id());
                        for (int file = 0; file < FILES; file++) {
                            write(fs, file);
                            FSDataInputStream stream = fs.open(path(file));
                            assertEquals(bytes(file)[0], (byte) stream.read());
                            streams.add(stream);
                        }
                        readAll(fs, streams);
                    }
                    readAll(fs, streams);
                }
                readAll(fs, streams);
            }
        }
    }

    private static void readAll(FileSystem fs, List<FSDataInputStream> streams) throws IOException {
        for (int file = 0; file < FILES; file++) {
            byte[] read = new byte[FILE_BYTES];
            streams.get(file).seek(0);
            streams.get(file).readFully(read);
            assertArrayEquals(bytes(file), read);
            try (FSDataInputStream fresh = fs.open(path(file))) {
                fresh.readFully(0, read);
                assertArrayEquals(bytes(file), read);
            }
        }
    }

    private static void write(FileSystem fs, int file) throws IOException {
        try (FSDataOutputStream out = fs.create(path(file), true, 4096, (short) 3, 1 << 20)) {
            out.write(bytes(file));
        }
        int holders = fs.getFileBlockLocations(path(file), 0, 1)[0].getHosts().length;
        assertEquals(3, holders);
    }

    private static byte[] bytes(int file) {
        byte[] bytes = new byte[FILE_BYTES];
        new Random(file).nextBytes(bytes);
        return bytes;
    }

    private static Path path(int file) {
        return new Path("/file-" + file);
    }

    private BlockNode blockServer(String name, URI metadata) throws Exception {
        return JoinedBlockServer.open(directory.resolve(name), VOLUME_BYTES, "localhost", metadata);
    }
}
