package io.tatami.benchmarks.workload.bulk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.Rounds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BulkRoundsTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void whatTheJvmsDidIsAddedUpAndTheSlowestOneTells() {
        assertEquals(
                new BulkTally(7, 900, 1), BulkTally.parse(List.of(List.of("3", "900", "0"), List.of("4", "500", "1"))));
    }

    @Test
    @Tag("soak")
    void everyModeHasAFigureAndTooFewRefillsFailTheRound() throws Exception {
        BulkOptions options = new BulkOptions();
        options.clientCounts = List.of(2, 2);
        options.seconds = 1;
        options.warmUpSeconds = 0;
        options.refillsMin = 0;
        options.capacity = "1g";
        Undo undo = new Undo();
        Path rows;
        Rounds figures;
        try (Results results = new Results(directory.resolve("results"), "bulk", BulkRounds.COLUMNS)) {
            figures = rounds(options, undo, results).run();
            options.refillsMin = Integer.MAX_VALUE;
            IOException failure = assertThrows(
                    IOException.class, () -> rounds(options, undo, results).run());
            assertTrue(failure.toString().contains("--seconds"), failure::toString);
            rows = results.file();
        } finally {
            undo.run();
        }
        for (CreateMode mode : CreateMode.values()) {
            assertEquals(2, figures.figures(BulkRounds.creates(2, mode)).size(), mode.label());
            assertTrue(figures.figures(BulkRounds.creates(2, mode)).get(0) > 0, mode.label());
            assertTrue(figures.figures(BulkRounds.both(2, mode)).get(0) > 0, mode.label());
        }
        for (String row : Files.readAllLines(rows)) {
            assertEquals(BulkRounds.COLUMNS.size(), row.split(",", -1).length, row);
        }
    }

    private BulkRounds rounds(BulkOptions options, Undo undo, Results results) {
        return new BulkRounds(options, new RoundOptions(1), directory.resolve("work"), undo, results);
    }
}
