package io.tatami.benchmarks.workload.affinity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.benchmarks.harness.report.Rounds;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;

class AffinitySummaryTest {
    private static final AffinityCell CELL = new AffinityCell("tatami", AffinityKind.READ, 2, 0.5, 0, 1, true);

    private final AffinityOptions options = new AffinityOptions();
    private final AffinityFigures figures = new AffinityFigures(new Rounds());
    private final AffinitySummary summary = new AffinitySummary(figures, options);

    AffinitySummaryTest() {
        options.peers = List.of("tatami", "hdfs");
        options.kinds = List.of(AffinityOptions.READ);
        options.nodes = List.of(1, 2);
        options.links = List.of(0.5);
        options.uplinks = List.of(0);
        options.copies = List.of(1);
        options.seconds = 10;
    }

    /** The file of the one node is on the other. */
    private static AffinityRun run(boolean isNear, int seconds) {
        List<AffinityTask> tasks = List.of(
                AffinityRunTest.task("node1", List.of(isNear ? "node1" : "node2"), 0, 0, seconds),
                AffinityRunTest.task("node2", List.of(isNear ? "node2" : "node1"), 0, 0, seconds));
        return AffinityRun.of(tasks, Map.of(), 2, 10);
    }

    @Test
    void aLineHasTheRatioToTheRateWithoutLocationsAndWhereTheRestWent() {
        figures.put(CELL, run(true, 10));
        figures.put(CELL.located(false), run(false, 20));
        figures.rounds().keep();

        assertTrue(
                summary.lines()
                        .contains(
                                "tatami read with locations, 2 nodes, links of 0.5 disks, 1 copies: 20.0 MB/s, 2.00 of"
                                        + " the rate without; 1.00 of the disks alone; the rest: 0.00 before a task began,"
                                        + " 0.00 beside the bytes, 0.00 elsewhere, 0.00 after a task ended"),
                () -> String.join("\n", summary.lines()));
        assertEquals(0.5, figures.parts(CELL.located(false)).far());
    }

    @Test
    void roundsAreComparedWithThemselvesAndVoidOnesLeftOut() {
        figures.put(CELL, run(true, 10));
        figures.rounds().keep();
        figures.put(CELL, run(true, 20));
        figures.put(CELL.located(false), run(false, 30));
        figures.rounds().keep();

        assertEquals(1.5, figures.ratio(CELL, CELL.located(false)).orElseThrow());
        assertTrue(
                summary.lines().contains("hdfs read with locations, 2 nodes, links of 0.5 disks, 1 copies: void"),
                () -> String.join("\n", summary.lines()));
    }

    @Test
    void whatIsNotMeasuredHasNoLine() {
        assertFalse(AffinitySummary.isMeasured(CELL.as(AffinityKind.WRITE_SYNCED)));
        assertTrue(AffinitySummary.isMeasured(CELL.as(AffinityKind.WRITE_SYNCED).of("hdfs")));
        assertFalse(AffinitySummary.isMeasured(new AffinityCell("hdfs", AffinityKind.READ, 2, 1, 0, 3, true)));
        assertFalse(AffinitySummary.isMeasured(new AffinityCell("hdfs", AffinityKind.READ, 1, 1, 4, 1, true)));
    }

    @Test
    void theBusyCoresOfAJobAreJudgedByTheOption() {
        options.coresPercentMax = 50;
        assertFalse(options.isVoid(run(true, 10)));
        options.coresPercentMax = 49;
        assertTrue(options.isVoid(run(true, 10)));
    }

    @Test
    void thePlotHasALineForEachPeerWithAndWithoutLocations() throws Exception {
        figures.put(CELL, run(true, 10));
        figures.put(CELL.located(false), run(false, 20));
        figures.put(CELL.of("hdfs"), run(true, 12));
        figures.rounds().keep();

        AffinityPlot plot = new AffinityPlot(figures, options, CELL);

        int lines = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(plot.svg().getBytes(StandardCharsets.UTF_8)))
                .getElementsByTagName("polyline")
                .getLength();
        assertEquals(4, lines);
        assertEquals("read-link0.5-uplink0-copies1", plot.name());
    }
}
