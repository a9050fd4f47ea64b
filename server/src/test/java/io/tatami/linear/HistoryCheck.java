package io.tatami.linear;

import io.tatami.linear.check.Checker;
import io.tatami.linear.check.Checker.Result;
import io.tatami.linear.check.History;
import io.tatami.linear.check.Operation;
import io.tatami.linear.check.Shrinking;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Has a history checked, and keeps one that is a violation. */
final class HistoryCheck {
    private HistoryCheck() {}

    /**
     * Counts what came of it.
     *
     * @param notes for who reads a violation, as comments
     * @throws AssertionError for a violation, with the shrunk history; all of it is in a file that {@link History}
     *     reads
     */
    static void check(long seed, List<Operation> history, String notes, Map<String, Long> counts) throws IOException {
        Result result = Checker.DEFAULT.check(history);
        counts.merge("histories", 1L, Long::sum);
        counts.merge("operations", (long) history.size(), Long::sum);
        switch (result.verdict()) {
            case LINEARIZABLE -> counts.merge("linearizable", 1L, Long::sum);
            case UNDECIDED -> {
                counts.merge("undecided", 1L, Long::sum);
                System.out.println("the history of seed " + seed + " is undecided: " + result.explanation());
            }
            case VIOLATION -> {
                Path file = file("history-" + seed + ".txt");
                Files.writeString(file, notes + History.text(history));
                throw new AssertionError("the history of seed " + seed + " is not linearizable; all of it is in " + file
                        + "\n" + result.explanation() + "shrunk:\n"
                        + History.text(Shrinking.shrink(Checker.DEFAULT, history)));
            }
        }
    }

    /** Where something is kept for who looks for the cause of a failure. */
    static Path file(String name) throws IOException {
        return Files.createDirectories(Path.of("target").toAbsolutePath()).resolve(name);
    }
}
