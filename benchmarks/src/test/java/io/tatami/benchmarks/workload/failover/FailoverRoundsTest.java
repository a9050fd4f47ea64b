package io.tatami.benchmarks.workload.failover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.Rounds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailoverRoundsTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    @Tag("soak")
    void aLeaderDiesAndComesBackAndNothingIsLost() throws Exception {
        FailoverOptions options = new FailoverOptions();
        options.clients = 3;
        options.shards = 1;
        options.warmUpSeconds = 0;
        options.watchSeconds = 0;
        Undo undo = new Undo();
        try (Results results = new Results(directory.resolve("results"), "failover", FailoverRounds.COLUMNS)) {
            FailoverRounds failover =
                    new FailoverRounds(options, new RoundOptions(1), directory.resolve("work"), undo, results);
            Rounds figures = failover.run();
            assertEquals(0, failover.errors());
            assertEquals(0, failover.lost());
            assertTrue(figures.figures("of the longest gap of any client, ms").get(0) > 0);
            List<String> rows = Files.readAllLines(results.file()).stream()
                    .filter(row -> !row.startsWith("#"))
                    .toList();
            assertEquals(3, rows.size(), rows::toString);
            for (String row : rows) {
                assertEquals(FailoverRounds.COLUMNS.size(), row.split(",", -1).length, row);
            }
        } finally {
            undo.run();
        }
        assertFalse(Files.exists(directory.resolve("work").resolve("failover")));
    }
}
