package io.tatami.server.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The directories that clients ask for most, as administrators ask for them over HTTP. */
@Timeout(120)
class HotDirectoriesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String QUESTION = "/api/admin/hot-directories";
    private static final String SCRIPT = "<script>alert(1)<!--&\"'";

    @TempDir
    private Path directory;

    private static JsonNode ask(ServedConsole console, String session) throws Exception {
        HttpResponse<String> answer = console.get(QUESTION, "Authorization", "Bearer " + session);
        assertEquals(200, answer.statusCode(), answer.body());
        return JSON.readTree(answer.body());
    }

    private static JsonNode measured(ServedConsole console, String session) throws Exception {
        JsonNode told = ask(console, session);
        while (!told.get("is_measured").asBoolean()) {
            Thread.sleep(50);
            told = ask(console, session);
        }
        return told;
    }

    @Test
    void onlyAdministratorsAreTold() throws Exception {
        try (ServedConsole console = new ServedConsole(directory, "1h")) {
            assertEquals(401, console.get(QUESTION).statusCode());
            assertEquals(
                    401, console.get(QUESTION, "Authorization", "Bearer no").statusCode());
            String session = console.session();
            assertEquals(405, console.post(QUESTION, session, "").statusCode());
            assertFalse(ask(console, session).get("is_measured").asBoolean(), "there is nothing to compare with");
        }
    }

    @Test
    void directoriesAreToldByTheirPathsWithRates() throws Exception {
        try (ServedConsole console = new ServedConsole(directory, "1h");
                TatamiClient client = console.client()) {
            TatamiPath hot = TatamiPath.of("/" + SCRIPT);
            assertTrue(client.mkdirs(hot, CreateSpec.modes(0755, 0), true));
            String session = console.session();
            JsonNode told = ask(console, session);
            int files = 0;
            while (!told.get("is_measured").asBoolean()
                    || told.get("directories").isEmpty()) {
                for (int i = 0; i < 10; i++) {
                    ServedConsole.write(client, hot.child("file-" + files++).toString(), 1, CreateSpec.DEFAULT);
                }
                told = ask(console, session);
            }
            JsonNode first = told.get("directories").get(0);
            assertEquals("/" + SCRIPT, first.get("path").asText(), told::toString);
            assertTrue(first.get("requests_per_second").asDouble() > 0, told::toString);
            assertTrue(
                    told.get("requests_per_second").asDouble()
                            >= first.get("requests_per_second").asDouble(),
                    told::toString);
            assertEquals(0, told.get("unmeasured").size(), told::toString);
        }
    }

    @Test
    void anIdleClusterHasNoHotDirectoriesAndOneThatDoesNotAnswerSaysWhy() throws Exception {
        try (ServedConsole console = new ServedConsole(directory, "1h")) {
            String session = console.session();
            assertEquals(0, measured(console, session).get("directories").size());
            console.closeCluster();
            HttpResponse<String> answer = console.get(QUESTION, "Authorization", "Bearer " + session);
            while (answer.statusCode() == 200) {
                Thread.sleep(50);
                answer = console.get(QUESTION, "Authorization", "Bearer " + session);
            }
            assertEquals(503, answer.statusCode(), answer.body());
            assertFalse(answer.body().isBlank());
        }
    }
}
