package io.tatami.copies;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.block.volume.SoakLog;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No power cut while servers join and are emptied costs a durable copy. A failure names its seed. */
final class PowerCutsTest {
    private static final long FIRST = Long.getLong("tatami.test.seed", 1);
    private static final int SEEDS = Integer.getInteger("tatami.test.seeds", 10);
    private static final int SEEDS_SOAK = 1_000;
    private static final int SEEDS_OF_A_LINE = 50;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void powerCutsCostNoDurableCopy() {
        Map<String, Long> counts = new TreeMap<>();
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            run(seed, counts);
        }
        System.out.println(counts);
        for (String what : List.of("power cuts looked at", "power cuts of more hosts", "joins", "drains")) {
            assertTrue(SEEDS == 1 || counts.getOrDefault(what, 0L) > 0, counts.toString());
        }
    }

    /** Goes on where its log ends, see {@link SoakLog}. */
    @Test
    @Tag("soak")
    void powerCutsCostNoDurableCopyOver1000Seeds() throws Exception {
        SoakLog.run("power-cuts.log", SEEDS_OF_A_LINE, SEEDS_SOAK, this::run);
    }

    private void run(long seed, Map<String, Long> counts) {
        try {
            PowerCuts.run(seed, directory, counts);
        } catch (RuntimeException e) {
            throw new AssertionError(
                    "seed " + seed + ": run it alone with -Dtatami.test.seed=" + seed + " -Dtatami.test.seeds=1: "
                            + e.getMessage(),
                    e);
        }
    }
}
