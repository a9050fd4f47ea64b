package io.tatami.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LockFileTest {
    private static final int REFUSED = 3;

    @TempDir
    private Path directory = Path.of("");

    private Path file() {
        return directory.resolve("lock");
    }

    /** Takes the lock of the file that is its argument, or ends with {@link #REFUSED}. */
    public static final class Other {
        public static void main(String[] arguments) throws IOException {
            System.exit(LockFile.take(Path.of(arguments[0])).isPresent() ? 0 : REFUSED);
        }
    }

    private int takenByAnotherProcess() throws IOException, InterruptedException {
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx32m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Other.class.getName(),
                        file().toString())
                .inheritIO()
                .start();
        assertTrue(other.waitFor(60, TimeUnit.SECONDS), "the other process does not end");
        return other.exitValue();
    }

    @Test
    void aFreeLockHasNoHolder() throws IOException {
        assertEquals(Optional.empty(), LockFile.holder(file()));
        LockFile.take(file()).orElseThrow().close();
        assertEquals(Optional.empty(), LockFile.holder(file()));
    }

    @Test
    void neitherASecondAttemptNorAQuestionInTheSameProcessLosesTheLock() throws IOException, InterruptedException {
        LockFile lock = LockFile.take(file()).orElseThrow();
        assertEquals(Optional.empty(), LockFile.take(file()));
        assertEquals(Optional.empty(), LockFile.take(directory.resolve(".").resolve("lock")));
        assertEquals(Optional.of(ProcessHandle.current()), LockFile.holder(file()));
        assertEquals(REFUSED, takenByAnotherProcess());
        lock.close();
        assertEquals(0, takenByAnotherProcess());
    }

    @Test
    void theFileTellsTheHolder() throws IOException {
        LockFile lock = LockFile.take(file()).orElseThrow();
        lock.close();
        assertEquals(Long.toString(ProcessHandle.current().pid()), Files.readString(file()));
    }

    @Test
    void aLockThatWasGivenBackCanBeTakenAgain() throws IOException {
        LockFile.take(file()).orElseThrow().close();
        LockFile.take(file()).orElseThrow().close();
    }
}
