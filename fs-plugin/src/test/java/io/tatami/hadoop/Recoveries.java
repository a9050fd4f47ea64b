package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;

/** Files that another client takes from their writers. */
final class Recoveries {
    private static final int ATTEMPTS_MAX = 12_000;
    private static final long PAUSE_MILLIS = 5;

    private Recoveries() {}

    /** Returns once the file is recovered and closed; fails after a minute. */
    static void recover(FileSystem fs, Path file) throws IOException, InterruptedException {
        for (int attempt = 0; !((LeaseRecoverable) fs).recoverLease(file); attempt++) {
            assertTrue(attempt < ATTEMPTS_MAX, file + " is not recovered after a minute");
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
