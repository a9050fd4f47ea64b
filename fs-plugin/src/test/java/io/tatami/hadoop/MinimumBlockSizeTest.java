package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.auth.HadoopGroups;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What a cluster with the default settings says to small blocks, as HDFS under its limit for the file system. */
class MinimumBlockSizeTest {
    private static final int MIB = 1 << 20;
    private static final int SMALL_BLOCK_BYTES = 4_096;

    @TempDir
    private java.nio.file.Path directory;

    @Test
    void blockSizesUnderTheMinimumAreRefusedWithTheSizeAndTheSetting() throws IOException {
        try (StandaloneNode node = start(Map.of());
                FileSystem fs = connect(node)) {
            Path file = new Path("/file");
            FileContext context = FileContext.getFileContext(URI.create(node.uri()), fs.getConf());
            assertRefused(1, () -> create(fs, file, 1));
            assertRefused(MIB - 1, () -> create(fs, file, MIB - 1));
            assertRefused(1, () -> fs.createFile(file).blockSize(1).build());
            EnumSet<CreateFlag> flags = EnumSet.of(CreateFlag.CREATE);
            assertRefused(512, () -> context.create(file, flags, Options.CreateOpts.blockSize(512)));
            assertFalse(fs.exists(file));

            byte[] content = bytes(2 * MIB + 1);
            write(create(fs, file, MIB), content);

            assertEquals(MIB, fs.getFileStatus(file).getBlockSize());
            assertArrayEquals(content, read(fs, file));
        }
    }

    @Test
    void filesWithSmallerBlocksFromBeforeAreReadAndAppendedTo() throws IOException {
        Path file = new Path("/older");
        byte[] content = bytes(10 * SMALL_BLOCK_BYTES);
        int before = 6 * SMALL_BLOCK_BYTES - 7;
        try (StandaloneNode node = start(Map.of("tatami.block.size.min", "1"));
                FileSystem fs = connect(node)) {
            write(create(fs, file, SMALL_BLOCK_BYTES), Arrays.copyOf(content, before));
        }
        try (StandaloneNode node = start(Map.of());
                FileSystem fs = connect(node)) {
            assertArrayEquals(Arrays.copyOf(content, before), read(fs, file));
            write(fs.append(file), Arrays.copyOfRange(content, before, content.length));
            assertArrayEquals(content, read(fs, file));
            assertEquals(SMALL_BLOCK_BYTES, fs.getFileStatus(file).getBlockSize());
            assertTrue(fs.truncate(file, 2 * SMALL_BLOCK_BYTES));
            assertArrayEquals(Arrays.copyOf(content, 2 * SMALL_BLOCK_BYTES), read(fs, file));
        }
    }

    private StandaloneNode start(Map<String, String> settings) throws IOException {
        return StandaloneNode.open(
                new StandaloneNode.Setup(directory, List.of(), 256L * MIB, "localhost", 0, 1),
                Settings.of(settings),
                new HadoopGroups(new Configuration()));
    }

    private static FileSystem connect(StandaloneNode node) throws IOException {
        Configuration configuration = new Configuration();
        configuration.set("fs.defaultFS", node.uri());
        return FileSystem.newInstance(URI.create(node.uri()), configuration);
    }

    private static FSDataOutputStream create(FileSystem fs, Path file, long blockSizeBytes) throws IOException {
        return fs.create(file, true, 4_096, (short) 1, blockSizeBytes);
    }

    private static void write(FSDataOutputStream stream, byte[] content) throws IOException {
        try (FSDataOutputStream out = stream) {
            out.write(content);
        }
    }

    private static byte[] read(FileSystem fs, Path file) throws IOException {
        try (var in = fs.open(file)) {
            return in.readAllBytes();
        }
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(29).nextBytes(bytes);
        return bytes;
    }

    private static void assertRefused(long sizeBytes, Executable creation) {
        IOException refused = assertThrows(IOException.class, creation);
        assertFalse(refused instanceof TatamiException, refused::toString);
        String message = String.valueOf(refused.getMessage());
        for (String part : List.of(" " + sizeBytes + " bytes", " " + MIB + " bytes", "tatami.block.size.min")) {
            assertTrue(message.contains(part), message);
        }
    }
}
