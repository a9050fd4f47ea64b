package io.tatami.benchmarks.harness.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class AddressPlotTest {
    private static final long DEVICE_BYTES = 1 << 20;
    private static final long DEVICE_SECTORS = DEVICE_BYTES / BlockRequest.SECTOR_BYTES;

    @Test
    void aPictureIsXmlWithItsTitleAndItsNumbers() throws Exception {
        Element svg = parse(plot(List.of(request("R", 0, 0, 8), request("R", 1, 8, 8))));
        assertEquals("svg", svg.getTagName());
        assertEquals("a < b", svg.getElementsByTagName("text").item(0).getTextContent());
        assertTrue(svg.getElementsByTagName("text").item(1).getTextContent().startsWith("2 requests"));
    }

    @Test
    void theFirstIsAtTheLeftEndAndTheLastAddressAtTheTop() {
        String svg = plot(List.of(request("R", 10, 0, 8), request("R", 12, DEVICE_SECTORS - 8, 8)));
        List<double[]> strokes = strokes(svg, "steelblue");
        assertEquals(2, strokes.size());
        assertEquals(80, strokes.get(0)[0]);
        assertEquals(490, strokes.get(0)[1]);
        assertEquals(940, strokes.get(1)[0]);
        assertEquals(60, strokes.get(1)[2]);
        assertFalse(svg.contains("red"));
    }

    @Test
    void whatIsNoReadIsRedAndWhatLooksTheSameIsDrawnOnce() {
        String svg = plot(
                List.of(request("R", 0, 0, 8), request("R", 0, 0, 8), request("WS", 1, 64, 8), request("R", 2, 8, 8)));
        assertEquals(1, strokes(svg, "red").size());
        assertEquals(2, strokes(svg, "steelblue").size());
    }

    @Test
    void nothingTracedIsAPictureToo() throws Exception {
        assertEquals("svg", parse(plot(List.of())).getTagName());
    }

    private static String plot(List<BlockRequest> requests) {
        return new AddressPlot("a < b", new AddressTrail(requests), DEVICE_BYTES).svg();
    }

    private static BlockRequest request(String kind, double seconds, long sector, long sectors) {
        return new BlockRequest(seconds, kind, sector, sectors, "x");
    }

    /** Of each: where it is on the time's axis, its lower and its upper end. */
    private static List<double[]> strokes(String svg, String colour) {
        Matcher path =
                Pattern.compile("stroke=\"" + colour + "\" d=\"([^\"]*)\"").matcher(svg);
        List<double[]> strokes = new ArrayList<>();
        if (path.find()) {
            Matcher stroke = Pattern.compile("M([0-9.]+) ([0-9.]+)V([0-9.]+)").matcher(path.group(1));
            while (stroke.find()) {
                strokes.add(new double[] {
                    Double.parseDouble(stroke.group(1)),
                    Double.parseDouble(stroke.group(2)),
                    Double.parseDouble(stroke.group(3))
                });
            }
        }
        return strokes;
    }

    private static Element parse(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)))
                .getDocumentElement();
    }
}
