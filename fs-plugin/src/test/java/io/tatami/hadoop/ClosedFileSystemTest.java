package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of a file system, and of a program, completes the files that are open. */
class ClosedFileSystemTest {
    private static final Path DIRECTORY = new Path("/ClosedFileSystemTest");

    private final Configuration configuration = TatamiCluster.shared().configuration();
    private final byte[] bytes = new byte[3_000_000];
    private FileSystem ending;
    private FileSystem other;

    @BeforeEach
    void open() throws IOException {
        new Random(2).nextBytes(bytes);
        ending = FileSystem.newInstance(configuration);
        other = FileSystem.newInstance(configuration);
        other.delete(DIRECTORY, true);
        other.mkdirs(DIRECTORY);
    }

    @AfterEach
    void close() throws IOException {
        other.close();
        ending.close();
    }

    private byte[] content(Path file) throws IOException {
        try (FSDataInputStream in = other.open(file)) {
            return in.readAllBytes();
        }
    }

    private void assertClosedWith(Path file, byte[] expected) throws IOException {
        assertTrue(((LeaseRecoverable) other).isFileClosed(file), file + " is open");
        assertArrayEquals(expected, content(file));
        other.append(file).close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 20_000, 1_048_576, 3_000_000})
    void closeCompletesAFileWithAllItsBytes(int length) throws IOException {
        Path file = new Path(DIRECTORY, "file");
        FSDataOutputStream out = ending.create(file);
        out.write(bytes, 0, length);

        ending.close();

        assertClosedWith(file, Arrays.copyOf(bytes, length));
        out.close();
        assertThrows(ClosedChannelException.class, () -> out.write(1));
    }

    @Test
    void closeCompletesAnAppendAndManyFilesAtOnce() throws IOException {
        Path appended = new Path(DIRECTORY, "appended");
        try (FSDataOutputStream out = other.create(appended)) {
            out.write(bytes, 0, 100);
        }
        List<FSDataOutputStream> outs = new ArrayList<>();
        outs.add(ending.append(appended));
        outs.get(0).write(bytes, 100, 50_000);
        for (int i = 0; i < 30; i++) {
            outs.add(ending.create(new Path(DIRECTORY, "file-" + i)));
            outs.get(i + 1).write(bytes, i, 20_000);
        }

        ending.close();

        assertClosedWith(appended, Arrays.copyOf(bytes, 50_100));
        for (int i = 0; i < 30; i++) {
            assertClosedWith(new Path(DIRECTORY, "file-" + i), Arrays.copyOfRange(bytes, i, i + 20_000));
        }
        for (FSDataOutputStream out : outs) {
            out.close();
        }
    }

    @Test
    void aFileThatCannotBeCompletedIsToldAndTheOthersAreComplete() throws IOException {
        FSDataOutputStream deleted = ending.create(new Path(DIRECTORY, "deleted"));
        deleted.write(bytes, 0, 20_000);
        Path whole = new Path(DIRECTORY, "whole");
        ending.create(whole).write(bytes, 0, 20_000);
        assertTrue(other.delete(new Path(DIRECTORY, "deleted"), false));

        assertThrows(FileNotFoundException.class, ending::close);

        assertClosedWith(whole, Arrays.copyOf(bytes, 20_000));
    }

    @Test
    void aFileThatIsDeletedOnExitIsGoneAfterTheClose() throws IOException {
        Path file = new Path(DIRECTORY, "temporary");
        ending.create(file).write(bytes, 0, 20_000);
        assertTrue(ending.deleteOnExit(file));

        ending.close();

        assertFalse(other.exists(file));
    }

    @Test
    void afterTheCloseEverythingElseSaysThatTheFileSystemIsClosed() throws IOException {
        Path file = new Path(DIRECTORY, "file");
        try (FSDataOutputStream out = ending.create(file)) {
            out.write(bytes, 0, 2_000_000);
        }
        long blockBytes = ending.getDefaultBlockSize(file);
        FSDataInputStream in = ending.open(file);
        assertEquals(bytes[0] & 0xff, in.read());

        ending.close();
        ending.close();

        assertEquals(blockBytes, ending.getDefaultBlockSize(file));
        assertClosed(() -> ending.getFileStatus(file));
        assertClosed(() -> ending.listStatus(DIRECTORY));
        assertClosed(() -> ending.mkdirs(DIRECTORY));
        assertClosed(() -> ending.create(file));
        assertClosed(() -> ending.open(file));
        assertClosed(() -> ending.rename(file, file));
        assertClosed(() -> ending.getServerDefaults(file));
        assertClosed(() -> in.readFully(0, new byte[2_000_000]));
        in.close();
    }

    private static void assertClosed(Executable call) {
        IOException refused = assertThrows(IOException.class, call);
        assertFalse(refused instanceof InterruptedIOException, refused::toString);
        assertTrue(String.valueOf(refused.getMessage()).contains("Filesystem closed"), refused::toString);
    }

    /** A program of its own, which opens files by both of Hadoop's interfaces and exits without closing them. */
    @Test
    void theExitOfAProgramCompletesTheFilesThatItLeftOpen() throws Exception {
        File java = new File(System.getProperty("java.home"), "bin/java");
        Process program = new ProcessBuilder(
                        java.getPath(),
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ForgetfulProgram.class.getName(),
                        TatamiCluster.shared().uri().toString(),
                        DIRECTORY.toString())
                // The output of a process of tests is how it speaks with Maven.
                .redirectErrorStream(true)
                .redirectOutput(new File("target", "forgetful-program.out"))
                .start();
        try {
            assertTrue(program.waitFor(3, TimeUnit.MINUTES));
        } finally {
            program.destroyForcibly();
        }

        assertEquals(0, program.exitValue());
        assertClosedWith(new Path(DIRECTORY, "file-system"), ForgetfulProgram.content());
        assertClosedWith(new Path(DIRECTORY, "file-context"), ForgetfulProgram.content());
    }
}
