package io.tatami.benchmarks.workload.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job of {@code bench commit} on Hadoop's local file system. */
final class CommitJobTest {
    private static final int TASKS = 5;

    @TempDir
    private Path directory = Path.of("");

    private CommitJob job(int algorithm) {
        return new CommitJob(directory.resolve("out").toUri().toString(), TASKS, 3, 100, algorithm);
    }

    private static void run(CommitJob job, FileSystem fs, int tasks) throws IOException {
        job.setUp();
        for (int task = 0; task < tasks; task++) {
            job.runTask(fs, task);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void outputOfAJobHasEachTasksFileInEachPartitionOnceItIsCommitted(int algorithm) throws IOException {
        FileSystem fs = FileSystem.getLocal(new Configuration());
        CommitJob job = job(algorithm);
        run(job, fs, TASKS);
        assertThrows(IOException.class, () -> job.check(fs));
        job.commit();
        job.check(fs);
    }

    @Test
    void jobWithoutOneOfItsTasksIsFound() throws IOException {
        FileSystem fs = FileSystem.getLocal(new Configuration());
        CommitJob job = job(1);
        run(job, fs, TASKS - 1);
        job.commit();
        IOException failure = assertThrows(IOException.class, () -> job.check(fs));
        assertTrue(failure.toString().contains("has 12 files"), failure::toString);
    }

    @Test
    void wordsOfAJobAreParsedIntoTheSameJob() {
        assertEquals(job(2), CommitJob.parse(("tasks 16 " + job(2).words()).split(" ", -1), 2));
    }
}
