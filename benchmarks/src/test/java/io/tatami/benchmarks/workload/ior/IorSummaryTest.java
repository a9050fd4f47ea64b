package io.tatami.benchmarks.workload.ior;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.benchmarks.harness.report.Rounds;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class IorSummaryTest {
    private static final ByteSize TRANSFER = ByteSize.of("1m");
    private static final List<Integer> SERVERS = List.of(4, 2);
    private static final List<Integer> WRITERS = List.of(1, 4, 8);

    private final Rounds figures = new Rounds();
    private final IorSummary summary = new IorSummary(figures, SERVERS, WRITERS, List.of(TRANSFER));

    @Test
    void aRowHasTheRatioToTheSumOfEachAloneAndTheSkew() {
        putSum(4, 32);
        put(4, 4, 24, 1.5);
        figures.keep();

        assertTrue(
                summary.lines().contains("      4       1m       32.0          void   0.75 (1.50)          void"),
                () -> String.join("\n", summary.lines()));
    }

    @Test
    void cellsWithFewerWritersThanServersSayNothingOfANumberOfServers() {
        putSum(4, 32);
        put(4, 1, 8, 4);
        put(4, 4, 24, 1.5);
        put(4, 8, 32, 1);
        figures.keep();

        assertTrue(
                summary.lines()
                        .contains("servers 4: 0.88 of the sum (median of 2 cells with a writer a server or more,"
                                + " 0.75 to 1.00)"),
                () -> String.join("\n", summary.lines()));
    }

    @Test
    void aCellIsComparedWithTheSumOfItsOwnRound() {
        putSum(4, 32);
        put(4, 8, 32, 1);
        figures.keep();
        putSum(4, 16);
        put(4, 8, 8, 2);
        figures.keep();

        assertEquals(0.75, summary.ratio(new IorCell(4, 8, TRANSFER)).orElseThrow());
    }

    @Test
    void withoutASumNoCellCounts() {
        put(2, 8, 32, 1);
        figures.keep();

        assertTrue(summary.lines().contains("servers 2: no cell that counts"), summary.lines()::toString);
    }

    @Test
    void thePictureHasADashedLineForTheSumAndOneForEachNumberOfWriters() throws Exception {
        putSum(2, 16);
        putSum(4, 32);
        put(2, 4, 16, 1);
        put(4, 4, 16, 1);
        figures.keep();

        String svg = new IorPlot(summary, SERVERS, WRITERS, TRANSFER).svg();
        Element picture = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)))
                .getDocumentElement();
        assertEquals(2, picture.getElementsByTagName("polyline").getLength());
        Element sum = (Element) picture.getElementsByTagName("polyline").item(0);
        assertEquals("515.0,215.0 940.0,60.0", sum.getAttribute("points"));
        assertEquals("6 4", sum.getAttribute("stroke-dasharray"));
        Element writers = (Element) picture.getElementsByTagName("polyline").item(1);
        assertEquals("515.0,215.0 940.0,215.0", writers.getAttribute("points"));
    }

    private void putSum(int servers, double rate) {
        figures.put(new IorCell(servers, 1, TRANSFER).sum(), rate);
    }

    private void put(int servers, int writers, double rate, double skew) {
        IorCell cell = new IorCell(servers, writers, TRANSFER);
        figures.put(cell.rate(), rate);
        figures.put(cell.skew(), skew);
    }
}
