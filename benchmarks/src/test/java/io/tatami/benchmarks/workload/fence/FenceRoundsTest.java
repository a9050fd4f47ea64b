package io.tatami.benchmarks.workload.fence;

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

class FenceRoundsTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    @Tag("soak")
    void aRenameWaitsForThePausedServerAndCreatesOnTheOtherGoOn() throws Exception {
        FenceOptions options = new FenceOptions();
        options.shards = List.of(2);
        options.clients = 2;
        options.seconds = 1;
        options.warmUpSeconds = 1;
        options.pauses = 2;
        options.pauseMillis = List.of(2_000);
        Undo undo = new Undo();
        Rounds figures;
        Path rows;
        try (Results results = new Results(directory.resolve("results"), "fence", FenceRounds.COLUMNS)) {
            figures = new FenceRounds(options, new RoundOptions(1), directory.resolve("work"), undo, results).run();
            rows = results.file();
        } finally {
            undo.run();
        }
        assertTrue(figure(figures, "renames, median ms") > 0);
        assertTrue(figure(figures, "one paused for 2000 ms, median ms") >= 2_000);
        assertTrue(figure(figures, "one paused for 2000 ms, creates/s") > 0);
        for (String row : Files.readAllLines(rows)) {
            assertEquals(FenceRounds.COLUMNS.size(), row.split(",", -1).length, row);
        }
        assertFalse(Files.exists(directory.resolve("work").resolve("fence-2")));
    }

    private static double figure(Rounds figures, String what) {
        return figures.figures(FenceRounds.of(2, what)).get(0);
    }
}
