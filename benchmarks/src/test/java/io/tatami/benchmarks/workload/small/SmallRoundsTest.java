package io.tatami.benchmarks.workload.small;

import static org.junit.jupiter.api.Assertions.assertEquals;
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

class SmallRoundsTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    @Tag("soak")
    void aRoundOfFewFilesHasEveryFigureAndTheRoomThatTheFilesTake() throws Exception {
        SmallOptions options = new SmallOptions();
        options.smallFiles = 40;
        options.middlingFiles = 24;
        options.clients = 2;
        options.warmUpSeconds = 1;
        options.spareMebibytes = 1_024;
        Undo undo = new Undo();
        Rounds figures;
        Path file;
        try (Results results = new Results(directory.resolve("results"), "small", SmallRounds.COLUMNS)) {
            figures = new SmallRounds(
                            options, List.of("tatami"), new RoundOptions(1), directory.resolve("work"), undo, results)
                    .run();
            file = results.file();
        } finally {
            undo.run();
        }

        for (String crowd : new String[] {"small", "middling"}) {
            for (String workload : new String[] {"load", "load-synced", "warm-list", "warm-read"}) {
                String rate = new SmallFigure(crowd, workload).rate("tatami");
                assertTrue(figures.figures(rate).get(0) > 0, rate);
            }
        }
        double overhead = figures.figures(new SmallFigure("middling", "load").overhead("tatami"))
                .get(0);
        assertTrue(overhead > 0 && overhead < 50, "24 files of 1 MB take " + overhead + " % more");
        assertEquals(
                0,
                Files.readString(file)
                        .lines()
                        .filter(line -> line.endsWith("null"))
                        .count());
    }
}
