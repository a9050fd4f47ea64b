package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a writer is told after another client took its file: nothing that it flushes is acknowledged and lost. */
class FencedWriterTest {
    private static final int MIB = 1 << 20;
    private static final int APPENDS = 20;
    private static final Path DIRECTORY = new Path("/FencedWriterTest");
    private static final Path LOG = new Path(DIRECTORY, "log");

    private final Configuration configuration = TatamiCluster.shared().configuration();
    private final byte[] bytes = new byte[8 * MIB];
    private FileSystem writing;
    private FileSystem other;

    @BeforeEach
    void open() throws IOException {
        new Random(1).nextBytes(bytes);
        writing = FileSystem.newInstance(configuration);
        other = FileSystem.newInstance(configuration);
        other.delete(DIRECTORY, true);
    }

    @AfterEach
    void close() throws IOException {
        other.close();
        writing.close();
    }

    /** How the writer begins: block size, and what it writes and flushes before the other client takes the file. */
    static Stream<Arguments> beginnings() {
        List<Arguments> all = new ArrayList<>();
        for (int blockBytes : new int[] {MIB, 256 * MIB}) {
            for (int written : new int[] {0, 1, 100_000, MIB - 1, MIB, MIB + 1, 3 * MIB}) {
                for (boolean flushed : new boolean[] {true, false}) {
                    all.add(Arguments.of(blockBytes, written, flushed));
                }
            }
        }
        return all.stream();
    }

    private FSDataOutputStream create(Path file, int blockBytes) throws IOException {
        return writing.create(file, true, 4096, (short) 1, blockBytes);
    }

    /** Client sessions whose last file had blocks get the first block of the next one with its creation. */
    private void writeThreeFiles(int blockBytes) throws IOException {
        for (int i = 0; i < 3; i++) {
            try (FSDataOutputStream out = create(new Path(DIRECTORY, "before-" + i), blockBytes)) {
                out.write(bytes, 0, 100_000);
            }
        }
    }

    /** A log with its first bytes, after files whose kind lets its first block be granted with its creation. */
    private FSDataOutputStream begin(int blockBytes, int written, boolean flushed) throws IOException {
        writeThreeFiles(blockBytes);
        FSDataOutputStream out = create(LOG, blockBytes);
        out.write(bytes, 0, written);
        if (flushed) {
            out.hflush();
        }
        return out;
    }

    /** Appends and flushes as a log does, and tells how many bytes were acknowledged; stops at the first refusal. */
    private int appendUntilRefused(FSDataOutputStream out, int written) {
        int acknowledged = written;
        for (int i = 0; i < APPENDS; i++) {
            try {
                out.write(bytes, acknowledged, 100);
                out.hflush();
                acknowledged += 100;
            } catch (IOException refused) {
                return acknowledged;
            }
        }
        return acknowledged;
    }

    private byte[] content() throws IOException {
        try (FSDataInputStream in = other.open(LOG)) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @MethodSource("beginnings")
    void noFlushIsAcknowledgedAfterAnotherClientRecoveredTheFile(int blockBytes, int written, boolean flushed)
            throws Exception {
        FSDataOutputStream out = begin(blockBytes, written, flushed);
        Recoveries.recover(other, LOG);
        byte[] recovered = content();
        assertArrayEquals(Arrays.copyOf(bytes, recovered.length), recovered);
        assertTrue(
                recovered.length <= written && (!flushed || recovered.length == written), recovered.length + " bytes");

        assertEquals(written, appendUntilRefused(out, written));

        assertThrows(IOException.class, out::hflush);
        assertThrows(IOException.class, out::close);
        assertArrayEquals(recovered, content());
    }

    @ParameterizedTest
    @MethodSource("beginnings")
    void aFlushOfADeletedFileIsRefusedAsNotFound(int blockBytes, int written, boolean flushed) throws Exception {
        FSDataOutputStream out = begin(blockBytes, written, flushed);
        assertTrue(other.delete(LOG, false));
        assertRefusedAsNotFound(out);
    }

    @Test
    void aFlushOfAnOverwrittenFileIsRefusedAsNotFoundAndTheNewOneIsWhole() throws Exception {
        FSDataOutputStream out = create(LOG, MIB);
        out.write(bytes, 0, 3 * MIB + 5);
        out.hflush();
        try (FSDataOutputStream replaced = other.create(LOG, true)) {
            replaced.write(bytes, 7, 20_000);
        }
        assertRefusedAsNotFound(out);
        assertArrayEquals(Arrays.copyOfRange(bytes, 7, 20_007), content());
    }

    /**
     * The block's server hears of a deletion a moment later; a flush in a block that is begun may be acknowledged until
     * then.
     */
    private void assertRefusedAsNotFound(FSDataOutputStream out) throws Exception {
        for (int attempt = 0; attempt < 600; attempt++) {
            try {
                out.write(bytes, 0, 100);
                out.hflush();
            } catch (FileNotFoundException refused) {
                assertThrows(IOException.class, out::close);
                return;
            }
            Thread.sleep(100);
        }
        throw new AssertionError("a deleted file is flushed for a minute");
    }
}
