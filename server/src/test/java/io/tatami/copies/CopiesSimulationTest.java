package io.tatami.copies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.block.volume.SoakLog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writers and readers of files with copies on several servers, while whatever can fails. A failure names its seed, from
 * which {@code -Dtatami.test.seed} begins; {@code -Dtatami.test.seeds} says how many it does.
 */
final class CopiesSimulationTest {
    private static final long FIRST = Long.getLong("tatami.test.seed", 1);
    private static final int SEEDS = Integer.getInteger("tatami.test.seeds", 200);
    private static final int SEEDS_SOAK = 100_000;
    private static final int SEEDS_OF_A_LINE = 1_000;

    /** What must come about in a soak, beside every trouble. */
    private static final List<String> REQUIRED = List.of(
            "promises SEEN",
            "promises FLUSHED",
            "promises DURABLE",
            "files closed",
            "files read",
            "copies compared",
            "worlds healed",
            "other numbers of copies",
            "files deleted",
            "hosts destroyed",
            "copies that only audits find",
            "clients died",
            "writers gave up",
            "writers failed");

    @TempDir
    private Path directory = Path.of("");

    @Test
    void whatWasPromisedIsThereWhateverFails() {
        Map<String, Long> counts = new TreeMap<>();
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            long unused = run(seed, counts);
        }
        assertTrue(SEEDS == 1 || counts.getOrDefault("files closed", 0L) > 0, counts.toString());
    }

    /** Among these a server in front would show bytes that one behind has not. */
    @Test
    void readersSeeNothingThatGoesAgain() {
        for (long seed = 512; seed <= 518; seed++) {
            long unused = run(seed, new TreeMap<>());
        }
    }

    @Test
    void seedGivesTheSameAgain() {
        for (long seed = 1; seed <= 5; seed++) {
            Map<String, Long> first = new TreeMap<>();
            Map<String, Long> second = new TreeMap<>();
            assertEquals(run(seed, first), run(seed, second), "seed " + seed);
            assertEquals(first, second, "seed " + seed);
        }
    }

    /** Goes on where its log ends, see {@link SoakLog}; at the end everything must have come about. */
    @Test
    @Tag("soak")
    void whatWasPromisedIsThereOver100000Seeds() throws Exception {
        SoakLog.run(
                "copies.log",
                SEEDS_OF_A_LINE,
                SEEDS_SOAK,
                (seed, counts) -> {
                    long unused = run(seed, counts);
                },
                all -> assertEquals(List.of(), missing(all), "these never came about"));
    }

    private static List<String> missing(Map<String, Long> counts) {
        List<String> missing = new ArrayList<>(REQUIRED);
        for (Chaos.Trouble trouble : Chaos.Trouble.values()) {
            missing.add("trouble " + trouble);
        }
        missing.removeAll(counts.keySet());
        return missing;
    }

    private long run(long seed, Map<String, Long> counts) {
        try {
            return CopiesSimulation.run(seed, directory, counts);
        } catch (RuntimeException e) {
            throw new AssertionError(
                    "seed " + seed + ": run it alone with -Dtatami.test.seed=" + seed + " -Dtatami.test.seeds=1: "
                            + e.getMessage(),
                    e);
        }
    }
}
