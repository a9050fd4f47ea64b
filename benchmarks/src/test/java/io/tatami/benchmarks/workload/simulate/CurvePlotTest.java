package io.tatami.benchmarks.workload.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.benchmarks.workload.simulate.SimulationResult.Sample;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class CurvePlotTest {
    @Test
    void aCurveFallsFromItsFirstPointToItsLast() throws Exception {
        Element svg = parse(new CurvePlot("a < b", "c", List.of(new Sample(0, 10), new Sample(3_600, 0))).svg());
        assertEquals("a < b", svg.getElementsByTagName("text").item(0).getTextContent());
        Element line = (Element) svg.getElementsByTagName("polyline").item(0);
        assertEquals("90.0,60.0 940.0,370.0", line.getAttribute("points"));
    }

    @Test
    void nothingToDoIsAPictureToo() throws Exception {
        assertEquals("svg", parse(new CurvePlot("", "", List.of()).svg()).getTagName());
    }

    @Test
    void aLongCurveHasFewPointsAndBothEnds() {
        Curve curve = new Curve();
        for (int second = 0; second < 100_000; second++) {
            curve.add(second, 100_000 - second);
        }
        List<Sample> samples = curve.end(100_000, 0);
        assertTrue(samples.size() < 700);
        assertEquals(new Sample(0, 100_000), samples.get(0));
        assertEquals(new Sample(100_000, 0), samples.get(samples.size() - 1));
    }

    private static Element parse(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)))
                .getDocumentElement();
    }
}
