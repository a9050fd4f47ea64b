package io.tatami.meta.log.flush;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tatami.crash.LoopMount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class TreeFlushTest {
    private static final int FILES = 9;

    @TempDir
    private Path directory = Path.of("");

    /** The device's copy is made right after the flush: what the kernel still kept would be missing in it. */
    @ParameterizedTest
    @EnumSource(FlushMode.class)
    void whatWasFlushedIsOnTheDevice(FlushMode mode) throws IOException {
        Path mountPoint = directory.resolve("mounted");
        Path copy = directory.resolve("copy");
        byte[] bytes = new byte[100_000];
        new Random(1).nextBytes(bytes);
        try (LoopMount mount = LoopMount.make(directory.resolve("image"), 64 << 20, mountPoint);
                TreeFlush flush = TreeFlush.open(mode, mountPoint)) {
            Path tree = Files.createDirectories(mountPoint.resolve("tree/below"));
            for (int i = 0; i < FILES; i++) {
                Files.write(tree.resolve("file-" + i), bytes);
            }
            flush.flush(mountPoint.resolve("tree"));
            mount.copyTo(copy);
        }
        try (LoopMount mount = LoopMount.mount(copy, mountPoint)) {
            for (int i = 0; i < FILES; i++) {
                Path file = mount.directory().resolve("tree/below/file-" + i);
                assertTrue(Arrays.equals(bytes, Files.readAllBytes(file)), file.toString());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(FlushMode.class)
    void aTreeThatIsNotThereIsAnErrorThatNamesIt(FlushMode mode) throws IOException {
        try (TreeFlush flush = TreeFlush.open(mode, directory)) {
            Path missing = directory.resolve("missing");
            NoSuchFileException thrown = assertThrows(NoSuchFileException.class, () -> flush.flush(missing));
            assertEquals(missing.toString(), thrown.getFile());
        }
    }

    @Test
    void aTreeOnAnotherFileSystemIsFlushedToo() throws IOException {
        Path shared = Path.of("/dev/shm");
        assumeTrue(Files.isWritable(shared), "no file system in memory");
        Path other = Files.createTempFile(shared, "tatami-test", null);
        try (TreeFlush flush = TreeFlush.open(FlushMode.ONCE, directory)) {
            flush.flush(other);
        } finally {
            Files.delete(other);
        }
    }

    /** Its descriptor may be another file's by then. */
    @Test
    void nothingIsFlushedAfterTheEnd() throws IOException {
        assumeTrue(FileSystemFlush.isAvailable(), "no syncfs here");
        TreeFlush flush = TreeFlush.open(FlushMode.ONCE, directory);
        flush.close();
        flush.close();
        assertThrows(IOException.class, () -> flush.flush(directory));
    }

    @Test
    void onlyNewerLinuxTellsOfErrors() {
        assertTrue(FileSystemFlush.tellsOfErrors("Linux", "6.1.0-18-amd64"));
        assertTrue(FileSystemFlush.tellsOfErrors("Linux", "5.8.0"));
        assertTrue(FileSystemFlush.tellsOfErrors("Linux", "5.15.0-1"));
        assertFalse(FileSystemFlush.tellsOfErrors("Linux", "5.7.19"));
        assertFalse(FileSystemFlush.tellsOfErrors("Linux", "4.18.0-553.el8"));
        assertFalse(FileSystemFlush.tellsOfErrors("Linux", "?"));
        assertFalse(FileSystemFlush.tellsOfErrors("Mac OS X", "14.5"));
    }

    @Test
    void theDefaultIsWhatThisSystemCanDo() throws IOException {
        assumeTrue("Linux".equals(System.getProperty("os.name")), "another system");
        String release = System.getProperty("os.version");
        try (TreeFlush flush = TreeFlush.open(FlushMode.ONCE, directory)) {
            assertEquals(FileSystemFlush.tellsOfErrors("Linux", release), flush instanceof FileSystemFlush);
        }
    }
}
