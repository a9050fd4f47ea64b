package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that are flushed behind a content that is stored with the metadata, and so moves to a block. */
class AppendToSmallFileTest {
    private static final Path DIRECTORY = new Path("/AppendToSmallFileTest");
    private static final Path FILE = new Path(DIRECTORY, "file");
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int SMALL_BLOCK_BYTES = 1_000;

    private final byte[] bytes = new byte[4_000_000];
    private FileSystem writing;
    private FileSystem reading;

    @BeforeEach
    void open() throws IOException {
        new Random(3).nextBytes(bytes);
        writing = FileSystem.newInstance(TatamiCluster.shared().configuration());
        reading = FileSystem.newInstance(TatamiCluster.shared().configuration());
        reading.delete(DIRECTORY, true);
    }

    @AfterEach
    void close() throws IOException {
        reading.close();
        writing.close();
    }

    /** How the file came to its content before it is appended to. */
    private enum Before {
        WRITTEN,
        TRUNCATED,
        CONCATENATED
    }

    /** With the usual blocks, and with blocks of which the content takes several as it moves. */
    static Stream<Arguments> cases() {
        List<Arguments> all = new ArrayList<>();
        for (Before before : Before.values()) {
            for (int base : new int[] {100, 1_001, 16_384, 16_385}) {
                for (int added : new int[] {1, 5_000, 40_000}) {
                    for (boolean synced : new boolean[] {false, true}) {
                        all.add(Arguments.of(before, base, added, synced, SMALL_BLOCK_BYTES));
                    }
                }
            }
        }
        for (Before before : Before.values()) {
            for (int base : new int[] {0, 1, 100, 16_384, 16_385}) {
                for (int added : new int[] {1, 5_000, 100_000, 1_048_576, 3_000_000}) {
                    for (boolean synced : new boolean[] {false, true}) {
                        boolean canBe = before == Before.WRITTEN || (base > 1 && added % 5_000 == 0);
                        if (canBe) {
                            all.add(Arguments.of(before, base, added, synced, BLOCK_BYTES));
                        }
                    }
                }
            }
        }
        return all.stream();
    }

    private void write(Path file, int from, int length, int blockBytes) throws IOException {
        try (FSDataOutputStream out = writing.create(file, true, 4_096, (short) 1, blockBytes)) {
            out.write(bytes, from, length);
        }
    }

    private void prepare(Before before, int base, int blockBytes) throws Exception {
        switch (before) {
            case WRITTEN -> write(FILE, 0, base, blockBytes);
            case TRUNCATED -> {
                write(FILE, 0, base + 1_000, blockBytes);
                if (!writing.truncate(FILE, base)) {
                    awaitClosed();
                }
            }
            case CONCATENATED -> {
                write(FILE, 0, base / 2, blockBytes);
                Path rest = new Path(DIRECTORY, "rest");
                write(rest, base / 2, base - base / 2, blockBytes);
                writing.concat(FILE, new Path[] {rest});
            }
        }
    }

    private void awaitClosed() throws Exception {
        for (int attempt = 0; !((LeaseRecoverable) reading).isFileClosed(FILE); attempt++) {
            assertTrue(attempt < 12_000, "a cut takes a minute");
            Thread.sleep(5);
        }
    }

    private byte[] content() throws IOException {
        try (FSDataInputStream in = reading.open(FILE)) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aReaderSeesTheBytesThatWereFlushed(Before before, int base, int added, boolean synced, int blockBytes)
            throws Exception {
        prepare(before, base, blockBytes);
        try (FSDataInputStream earlier = reading.open(FILE);
                FSDataOutputStream out = writing.append(FILE)) {
            for (int part = 1; part <= 2; part++) {
                out.write(bytes, base + (part - 1) * added / 2, part * added / 2 - (part - 1) * added / 2);
                if (synced) {
                    out.hsync();
                } else {
                    out.hflush();
                }
                byte[] flushed = Arrays.copyOf(bytes, base + part * added / 2);
                assertArrayEquals(flushed, content());
            }
            byte[] old = new byte[base];
            earlier.readFully(0, old);
            assertArrayEquals(Arrays.copyOf(bytes, base), old);
        }
        assertEquals(base + added, reading.getFileStatus(FILE).getLen());
        assertArrayEquals(Arrays.copyOf(bytes, base + added), content());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aRecoveryKeepsTheBytesThatWereFlushed(Before before, int base, int added, boolean synced, int blockBytes)
            throws Exception {
        prepare(before, base, blockBytes);
        FSDataOutputStream out = writing.append(FILE);
        out.write(bytes, base, added);
        if (synced) {
            out.hsync();
        } else {
            out.hflush();
        }
        Recoveries.recover(reading, FILE);
        assertArrayEquals(Arrays.copyOf(bytes, base + added), content());
        try {
            out.close();
        } catch (IOException refused) {
            assertTrue(String.valueOf(refused.getMessage()).contains("lease"), refused::toString);
        }
    }

    @Test
    void whatFitsBesideTheMetadataTakesNoBlockHoweverSmallItsBlocks() throws Exception {
        write(FILE, 0, 10_000, 1);
        assertEquals(1, reading.getFileBlockLocations(FILE, 0, 10_000).length);
        try (FSDataOutputStream out = writing.append(FILE)) {
            out.write(bytes, 10_000, 6_384);
        }
        assertEquals(1, reading.getFileBlockLocations(FILE, 0, 16_384).length);
        assertTrue(writing.truncate(FILE, 5_000));
        assertEquals(1, reading.getFileBlockLocations(FILE, 0, 5_000).length);
        assertArrayEquals(Arrays.copyOf(bytes, 5_000), content());
    }

    /** The memory of the writer is full, so that blocks are written and reported without a flush. */
    @ParameterizedTest
    @ValueSource(ints = {260_000, 300_000})
    void aRecoveryKeepsTheContentFromBeforeAWriterThatDidNotFlush(int added) throws Exception {
        write(FILE, 0, 16_384, SMALL_BLOCK_BYTES);
        FSDataOutputStream out = writing.append(FILE);
        out.write(bytes, 16_384, added);
        Recoveries.recover(reading, FILE);
        byte[] kept = content();
        assertTrue(kept.length >= 16_384, () -> kept.length + " bytes");
        assertArrayEquals(Arrays.copyOf(bytes, kept.length), kept);
        assertThrows(IOException.class, out::close);
        try (FSDataOutputStream next = writing.append(FILE)) {
            next.write(bytes, kept.length, 5_000);
            next.hflush();
        }
        assertArrayEquals(Arrays.copyOf(bytes, kept.length + 5_000), content());
    }
}
