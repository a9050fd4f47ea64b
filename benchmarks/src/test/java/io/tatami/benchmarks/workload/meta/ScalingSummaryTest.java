package io.tatami.benchmarks.workload.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.benchmarks.harness.report.Rounds;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScalingSummaryTest {
    private static final MetaOperation CREATE = MetaOperation.CREATE_EMPTY;

    @Test
    void ratesAreComparedWithTheFewestServersAndTheModelTellsOfMore() {
        Rounds figures = new Rounds();
        for (int servers : List.of(1, 2, 4)) {
            figures.put(ScalingRounds.rate(CREATE, servers), 1_000 * servers);
            figures.put(ScalingRounds.shardMicros(CREATE, servers), 120);
            figures.put(ScalingRounds.namespaceMicros(CREATE, servers), 6);
        }
        figures.keep();

        List<String> lines = new ScalingSummary(figures, List.of(4, 1, 2), 0.12).lines(List.of(CREATE));
        assertTrue(
                lines.contains("CREATE_EMPTY: 4 servers to 1 4.00 (median of 1 rounds, 4.00 to 4.00)"),
                lines::toString);
        assertTrue(lines.contains("CREATE_EMPTY: CPU would allow 16000/s with 16 servers"), lines::toString);
        assertTrue(lines.contains("CREATE_EMPTY: CPU would allow 20000/s with 64 servers"), lines::toString);
        assertTrue(
                lines.contains("CREATE_EMPTY: the namespace group is what all wait for from 20.0 servers on"),
                lines::toString);
    }

    @Test
    void withoutARoundThatCountsNothingIsSaid() {
        assertEquals(List.of(), new ScalingSummary(new Rounds(), List.of(1, 4), 0.12).lines(List.of(CREATE)));
    }
}
