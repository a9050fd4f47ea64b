package io.tatami.benchmarks.workload.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.benchmarks.harness.report.Rounds;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamSummaryTest {
    private final Rounds figures = new Rounds();

    @Test
    void aWriteIsComparedWithTheCeilingWithHdfsAndWithItselfAlone() {
        figures.put(StreamFigure.ceiling("write"), 1000);
        put("write", 1, "tatami", 800);
        put("write", 4, "tatami", 600);
        put("write", 1, "hdfs", 200);
        put("write", 4, "hdfs", 100);
        figures.keep();

        List<String> lines = new StreamSummary(figures, List.of(4, 1), "hdfs").lines();
        String one = " (median of 1 rounds, ";
        assertTrue(lines.contains("write x1: tatami to the ceiling 0.80" + one + "0.80 to 0.80)"), lines::toString);
        assertTrue(lines.contains("write x4: tatami to its own x1 0.75" + one + "0.75 to 0.75)"), lines::toString);
        assertTrue(lines.contains("write x4: hdfs to its own x1 0.50" + one + "0.50 to 0.50)"), lines::toString);
        assertTrue(lines.contains("write x1: tatami to hdfs 4.00" + one + "4.00 to 4.00)"), lines::toString);
        assertTrue(lines.contains("median MB/s write x1 tatami 800.00"), lines::toString);
    }

    @Test
    void aReadIsComparedWithTheCeilingOfReads() {
        figures.put(StreamFigure.ceiling("write"), 1000);
        figures.put(StreamFigure.ceiling("read"), 500);
        put("cold-read", 1, "tatami", 400);
        figures.keep();

        assertEquals(
                List.of("cold-read x1: tatami to the ceiling 0.80 (median of 1 rounds, 0.80 to 0.80)"),
                new StreamSummary(figures, List.of(1), "")
                        .lines().stream()
                                .filter(line -> !line.startsWith("median"))
                                .toList());
    }

    @Test
    void cpuIsComparedToo() {
        StreamFigure figure = new StreamFigure("write", 1);
        figures.put(figure.cpu("tatami"), 1);
        figures.put(figure.cpu("hdfs"), 4);
        figures.keep();

        assertTrue(new StreamSummary(figures, List.of(1), "hdfs")
                .lines()
                .contains("write x1: CPU of tatami to hdfs 0.25 (median of 1 rounds, 0.25 to 0.25)"));
    }

    private void put(String workload, int streams, String peer, double rate) {
        figures.put(new StreamFigure(workload, streams).rate(peer), rate);
    }
}
