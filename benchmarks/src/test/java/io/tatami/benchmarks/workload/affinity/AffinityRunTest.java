package io.tatami.benchmarks.workload.affinity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.benchmarks.harness.host.CoreTimes;
import io.tatami.benchmarks.harness.host.LinkBytes;
import io.tatami.benchmarks.workload.affinity.AffinityTask.Place;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AffinityRunTest {
    private static final Map<String, String> RACKS =
            Map.of("node1", "/rack0", "node2", "/rack1", "node3", "/rack0", "node4", "/rack1");
    private static final long BYTES = 100_000_000;
    private static final double EXACT = 1e-9;

    /** Two of four cores are busy from the epoch on. */
    static AffinityTask task(String node, List<String> hosts, int granted, int begin, int end) {
        return new AffinityTask(
                1,
                node,
                hosts,
                granted * 1_000L,
                BYTES,
                new LinkBytes(hosts.contains(node) ? 0 : BYTES, 0),
                new AffinityTask.Span(
                        begin * 1_000L,
                        new CoreTimes(begin * 2L, begin * 4L),
                        end * 1_000L,
                        new CoreTimes(end * 2L, end * 4L)));
    }

    private static AffinityRun run(AffinityTask... tasks) {
        return AffinityRun.of(List.of(tasks), RACKS, tasks.length, 10);
    }

    @Test
    void theRateIsOfAllBytesFromTheFirstBeginToTheLastEnd() {
        AffinityRun run = run(task("node1", List.of("node1"), 0, 5, 15), task("node2", List.of("node3"), 0, 7, 25));
        assertEquals(20, run.seconds(), EXACT);
        assertEquals(10, run.megabytesPerSecond(), EXACT);
        assertEquals(100, run.receivedMegabytes(), EXACT);
        assertEquals(50, run.coresPercent(), EXACT);
    }

    @Test
    void thePartsOfTheTimeOfAllNodesAddUpToOne() {
        AffinityRun.Parts parts = run(
                        task("node1", List.of("node1"), 0, 5, 17), task("node2", List.of("node3"), 0, 9, 25))
                .parts();
        assertEquals(20 / 40.0, parts.ideal(), EXACT);
        assertEquals(4 / 40.0, parts.before(), EXACT);
        assertEquals(2 / 40.0, parts.near(), EXACT);
        assertEquals(6 / 40.0, parts.far(), EXACT);
        assertEquals(8 / 40.0, parts.after(), EXACT);
    }

    @Test
    void aSyncCountsBehindTheLastTaskAndNotBeforeIt() {
        AffinityRun run = run(task("node1", List.of(), 0, 0, 10));
        assertEquals(20, run.until(20_000).seconds(), EXACT);
        assertEquals(0.5, run.until(20_000).parts().after(), EXACT);
        assertEquals(10, run.until(20_000).withoutSync().seconds(), EXACT);
        assertEquals(10, run.until(0).seconds(), EXACT);
    }

    @Test
    void placesAreByHostAndByRack() {
        assertEquals(
                Place.NODE, task("node1", List.of("node2", "node1"), 0, 0, 1).place(RACKS));
        assertEquals(
                Place.RACK, task("node1", List.of("node2", "node3"), 0, 0, 1).place(RACKS));
        assertEquals(Place.ELSEWHERE, task("node1", List.of("node2"), 0, 0, 1).place(RACKS));
        assertEquals(Place.NODE, task("node1", List.of(), 0, 0, 1).place(RACKS));
    }

    @Test
    void aTaskIsPassedOverWhereANodeWithItsBytesHadNone() {
        AffinityTask far = task("node1", List.of("node2"), 5, 6, 20);
        assertEquals(0, run(far, task("node2", List.of("node2"), 4, 6, 20)).passedOver());
        assertEquals(1, run(far, task("node2", List.of("node2"), 7, 8, 20)).passedOver());
        assertEquals(1, run(far, task("node2", List.of("node2"), 1, 2, 5)).passedOver());
    }

    @Test
    void aTaskIsReadAsItWasWritten() {
        for (List<String> hosts : List.of(List.<String>of(), List.of("node2", "node3"))) {
            AffinityTask task = task("node1", hosts, 4, 5, 6);
            assertEquals(task, AffinityTask.parse(task.toString()));
        }
    }
}
