package io.tatami.benchmarks.workload.locality;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines as Spark 3.5.8 writes them, without the fields that nobody reads. */
final class SparkEventLogTest {
    private static final String EXECUTOR =
            "{\"Event\":\"SparkListenerExecutorAdded\",\"Executor ID\":\"0\",\"Executor Info\":{\"Host\":\"node1\"}}";
    private static final String START =
            "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":0,\"Submission Time\":1700000001000}";
    private static final String END =
            "{\"Event\":\"SparkListenerJobEnd\",\"Job ID\":0,\"Completion Time\":1700000003500,"
                    + "\"Job Result\":{\"Result\":\"JobSucceeded\"}}";

    @TempDir
    private Path directory;

    private static String task(String locality) {
        return "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":0,\"Task Type\":\"ResultTask\","
                + "\"Task End Reason\":{\"Reason\":\"Success\"},\"Task Info\":{\"Task ID\":0,\"Host\":\"node1\","
                + "\"Locality\":\"" + locality + "\",\"Failed\":false}}";
    }

    private Path log(List<String> lines) throws IOException {
        return Files.write(directory.resolve("app"), lines);
    }

    @Test
    void tasksAreCountedByTheirLocality() throws Exception {
        String application = "{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"scan-1\","
                + "\"App ID\":\"app-20260131235959-0001\",\"User\":\"root\"}";
        List<String> lines = new ArrayList<>(
                List.of("{\"Event\":\"SparkListenerLogStart\"}", application, EXECUTOR, EXECUTOR, START));
        for (String locality : List.of("NODE_LOCAL", "ANY", "PROCESS_LOCAL", "NODE_LOCAL", "RACK_LOCAL", "NO_PREF")) {
            // What a started task has is repeated where it ends.
            lines.add(task(locality).replace("TaskEnd", "TaskStart"));
            lines.add(task(locality));
        }
        lines.add(END);
        assertEquals(
                new SparkEventLog("app-20260131235959-0001", 2, new MapPlaces(6, 3, 1, 1), 2_500),
                SparkEventLog.read(log(lines)));
    }

    @Test
    void logWithoutTheEndOfAJobIsRefused() throws Exception {
        Path log = log(List.of(EXECUTOR, START, task("ANY")));
        IOException refused = assertThrows(IOException.class, () -> SparkEventLog.read(log));
        assertTrue(refused.toString().contains("no end of a job"), refused::toString);
    }

    @Test
    void localityThatSparkDoesNotHaveIsRefused() throws Exception {
        Path log = log(List.of(START, task("GALAXY_LOCAL"), END));
        assertThrows(IOException.class, () -> SparkEventLog.read(log));
    }
}
