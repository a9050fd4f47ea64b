package io.tatami.server.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.client.model.Json;
import io.tatami.client.model.TatamiPath;
import io.tatami.server.traffic.TrafficRates.Rate;
import io.tatami.server.traffic.TrafficRates.ServerRate;
import io.tatami.server.traffic.TrafficRates.Unmeasured;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Rates as lines and as JSON. */
final class TrafficTextTest {
    private static final String EVIL = "\033[2Jevil\r\n<script>\u202e";

    private static TrafficRates rates(String user, int users, int unmeasured) {
        List<Rate<String>> all = new ArrayList<>();
        List<Unmeasured> missing = new ArrayList<>();
        for (int i = 0; i < users; i++) {
            all.add(new Rate<>(user, users - i));
        }
        for (int i = 0; i < unmeasured; i++) {
            missing.add(new Unmeasured("shard-" + i, "does not tell: " + user));
        }
        return new TrafficRates(
                3,
                12.34,
                all,
                List.of(new Rate<>("10.0.0.1", 1_234)),
                List.of(new Rate<>(new DirectoryId(5), 3), new Rate<>(new DirectoryId(6), 2)),
                List.of(new Rate<>("meta1:9480", 12)),
                List.of(new ServerRate(1, "node1:9000", 2_048, 0)),
                missing);
    }

    @Test
    void eachKindHasASectionAndADirectoryThatIsGoneItsId() throws Exception {
        List<String> lines =
                new TrafficText(rates("anna", 1, 1), Map.of(new DirectoryId(5), TatamiPath.of("/data/logs"))).lines(10);
        assertEquals("12 requests a second by clients, counted by 3 groups", lines.get(0));
        assertEquals("no rate of shard-0: it does not tell: anna", lines.get(1));
        String text = String.join("\n", lines);
        for (String part : List.of(
                "requests a s  user\n         1.0  anna",
                "client\n        1234  10.0.0.1",
                "directory\n         3.0  /data/logs\n         2.0  d6 (its path is not found)",
                "metadata server\n          12  meta1:9480",
                "block server\n     2.0 KiB          0 B  1 node1:9000")) {
            assertTrue(text.contains(part), () -> part + " is not in\n" + text);
        }
    }

    @Test
    void namesWithControlCharactersMoveNoCursor() throws Exception {
        Map<DirectoryId, TatamiPath> paths = Map.of(new DirectoryId(5), TatamiPath.of("/a\033[31m\n/\u2028b"));
        for (String line : new TrafficText(rates(EVIL, 1, 1), paths).lines(10)) {
            assertTrue(line.chars().noneMatch(Character::isISOControl), line);
            assertTrue(line.chars().noneMatch(point -> Character.getType(point) == Character.FORMAT), line);
            assertTrue(line.chars().noneMatch(point -> point == '\u2028'), line);
        }
        String all = String.join("\n", new TrafficText(rates(EVIL, 1, 0), paths).lines(10));
        assertTrue(all.contains("?[2Jevil??<script>?"), all);
        assertTrue(all.contains("/a?[31m?/?b"), all);
    }

    @Test
    void oneLineOfJsonHasThemAll() throws Exception {
        String json = TrafficJson.of(rates(EVIL, 3, 1), Map.of(new DirectoryId(5), TatamiPath.of("/data")), 2);
        assertEquals(1, json.lines().count());
        assertTrue(json.startsWith("{\"requests_per_second\":12.34,\"measured_groups\":3,\"users\":[{\"user\":"), json);
        assertTrue(json.contains(Json.text(EVIL)), json);
        assertTrue(json.contains("{\"id\":5,\"path\":\"/data\",\"requests_per_second\":3.0}"), json);
        assertTrue(json.contains("{\"id\":6,\"path\":\"\",\"requests_per_second\":2.0}"), json);
        assertTrue(json.contains("\"bytes_read_per_second\":2048.0,\"bytes_written_per_second\":0.0"), json);
        assertEquals(2, json.split("\"user\":", -1).length - 1, json);
    }

    @Test
    void soManyRowsAreShownThatAllSectionsFitTheScreen() {
        for (int height : new int[] {24, 40, 60, 200}) {
            for (int unmeasured : new int[] {0, 3, 50}) {
                TrafficRates rates = rates("anna", 500, unmeasured);
                int rows = TrafficText.rows(500, height, rates);
                assertTrue(rows >= 1, () -> "no row of " + height);
                List<String> lines = new TrafficText(rates, Map.of()).lines(rows);
                assertTrue(lines.size() < height, () -> lines.size() + " lines of " + height);
            }
        }
        assertEquals(10, TrafficText.rows(10, 200, rates("anna", 1, 0)));
        assertEquals(1, TrafficText.rows(10, 5, rates("anna", 1, 0)));
    }
}
