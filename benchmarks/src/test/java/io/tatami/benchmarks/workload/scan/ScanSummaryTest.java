package io.tatami.benchmarks.workload.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.benchmarks.harness.report.Rounds;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScanSummaryTest {
    @Test
    void theDeviationIsThatOfASample() {
        assertEquals(2, ScanSummary.deviation(List.of(2.0, 4.0, 6.0)));
        assertEquals(0, ScanSummary.deviation(List.of(5.0)));
    }

    @Test
    void eachHasItsMeanAndSpreadAndTatamiItsRatioToEachOther() {
        Rounds figures = new Rounds();
        run(figures, 100, 200);
        run(figures, 120, 180);
        run(figures, 140, 280);
        assertEquals(
                List.of(
                        "ext4: mean 120 MB/s, standard deviation 20, median 120, 100 to 140, of 3 runs",
                        "tatami: mean 220 MB/s, standard deviation 53, median 200, 180 to 280, of 3 runs",
                        "tatami to ext4 2.00 (median of 3 rounds, 1.50 to 2.00)"),
                new ScanSummary(figures, List.of("ext4", "tatami")).lines());
    }

    private static void run(Rounds figures, double ext4, double tatami) {
        figures.put("ext4", ext4);
        figures.put("tatami", tatami);
        figures.keep();
    }
}
