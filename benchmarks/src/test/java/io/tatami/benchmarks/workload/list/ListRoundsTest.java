package io.tatami.benchmarks.workload.list;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.Rounds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListRoundsTest {
    private static final int FILES = 42;
    private static final int ROUNDS = 2;

    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void everyTenthOfEveryRoundHasARowAndAllFilesAreInThem(int servers) throws Exception {
        ListOptions options = new ListOptions();
        options.servers = servers;
        options.files = FILES;
        options.clients = 2;
        Undo undo = new Undo();
        Rounds figures;
        Path rows;
        try (Results results = new Results(directory.resolve("results"), "list", ListRounds.COLUMNS)) {
            figures = new ListRounds(options, ROUNDS, directory.resolve("work"), undo, results).run();
            rows = results.file();
        } finally {
            undo.run();
        }
        List<String> lines = Files.readAllLines(rows);
        assertEquals(1 + ROUNDS * ListRounds.TENTHS, lines.size());
        int listed = 0;
        for (String line : lines.subList(1, lines.size())) {
            listed += Integer.parseInt(line.split(",", -1)[2]);
        }
        assertEquals(ROUNDS * FILES, listed);
        for (int tenth = 1; tenth <= ListRounds.TENTHS; tenth++) {
            assertEquals(ROUNDS, figures.figures(ListRounds.tenth(tenth)).size());
        }
    }

    @Test
    void tooFewFilesAndAnOddNumberOfServersAreRefused() throws Exception {
        ListOptions options = new ListOptions();
        options.files = ListRounds.TENTHS - 1;
        try (Results results = new Results(directory, "list", ListRounds.COLUMNS)) {
            ListRounds rounds = new ListRounds(options, 1, directory, new Undo(), results);
            IOException refused = assertThrows(IOException.class, rounds::run);
            assertTrue(refused.toString().contains("--files 9"), refused::toString);
            options.files = FILES;
            options.servers = 3;
            refused = assertThrows(IOException.class, rounds::run);
            assertTrue(refused.toString().contains("--servers 3"), refused.toString());
        }
    }
}
