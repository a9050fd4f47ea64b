package io.tatami.server.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The console's answers about files, in the name of {@code nobody}. */
@Timeout(120)
class FilePagesTest {
    static final String SCRIPT = "<script>alert(1)<!--&\"'";

    @TempDir
    private Path directory;

    private ServedConsole console;
    private TatamiClient client;

    @BeforeEach
    void serve() throws Exception {
        console = new ServedConsole(directory, "1h");
        client = console.client();
        assertTrue(client.mkdirs(TatamiPath.of("/d"), CreateSpec.modes(0755, 0), false));
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        console.close();
    }

    @Test
    void aNameWithScriptIsTextInJson() throws Exception {
        ServedConsole.write(client, "/d/" + SCRIPT, 3, CreateSpec.DEFAULT);
        HttpResponse<String> answer = console.get("/api/files?path=/d");
        assertEquals(
                "application/json; charset=utf-8",
                answer.headers().firstValue("content-type").orElseThrow());
        assertEquals(
                "nosniff", answer.headers().firstValue("x-content-type-options").orElseThrow());
        JsonNode entry = console.json("/api/files?path=/d").get("entries").get(0);
        assertEquals(SCRIPT, entry.get("name").asText());
        assertEquals("644", entry.get("mode").asText());
        assertEquals(3, entry.get("length").asInt());
        assertEquals(System.getProperty("user.name"), entry.get("owner").asText());
        JsonNode file = console.json("/api/file?path=" + ServedConsole.encoded("/d/" + SCRIPT));
        assertTrue(file.get("entry").get("is_inline").asBoolean(), file::toString);
    }

    @Test
    void whatNobodyMayNotReadIsRefused() throws Exception {
        assertTrue(client.mkdirs(TatamiPath.of("/secret/below"), CreateSpec.modes(0700, 0), true));
        ServedConsole.write(client, "/secret/file", 20_000, CreateSpec.DEFAULT);
        for (String path : List.of(
                "files?path=/secret", "file?path=/secret/file", "open-files?path=/secret", "totals?path=/secret")) {
            HttpResponse<String> answer = console.get("/api/" + path);
            assertEquals(403, answer.statusCode(), path + answer.body());
        }
        JsonNode open = console.json("/api/open-files?path=/");
        assertFalse(open.get("is_complete").asBoolean(), open::toString);
        assertEquals(404, console.get("/api/files?path=/none").statusCode());
        assertEquals(400, console.get("/api/files?path=relative").statusCode());
        assertEquals(400, console.get("/api/file?path=/d").statusCode());
    }

    @Test
    void aFileIsToldWithItsBlocksAndWhereTheyAre() throws Exception {
        ServedConsole.write(client, "/d/f", 5 << 19, CreateSpec.DEFAULT.withBlockSizeBytes(1 << 20));
        JsonNode file = console.json("/api/file?path=/d/f");
        assertEquals(3, file.get("blocks_in_all").asInt());
        JsonNode last = file.get("blocks").get(2);
        assertEquals(2 << 20, last.get("offset").asInt());
        assertEquals(1 << 19, last.get("length").asInt());
        JsonNode copy = last.get("copies").get(0);
        assertEquals(1, copy.get("server").asInt());
        assertEquals("/default-rack", copy.get("rack").asText());
        assertTrue(copy.get("is_alive").asBoolean());
        JsonNode from = console.json("/api/file?path=/d/f&block=2");
        assertEquals(1, from.get("blocks").size());
        assertEquals(400, console.get("/api/files?path=/d/f").statusCode());
        JsonNode totals = console.json("/api/totals?path=/d");
        assertEquals(5 << 19, totals.get("bytes").asInt());
        assertEquals(1, totals.get("files").asInt());
    }

    @Test
    void filesThatAreWrittenAreFoundBelow() throws Exception {
        ServedConsole.write(client, "/d/closed", 1, CreateSpec.DEFAULT);
        try (FileWriter writer =
                client.create(TatamiPath.of("/d/e/open"), CreateSpec.DEFAULT.withCreateParents(true))) {
            writer.write(new byte[10], 0, 10);
            JsonNode open = console.json("/api/open-files?path=/d");
            assertEquals(1, open.get("files").size(), open::toString);
            assertEquals("/d/e/open", open.get("files").get(0).get("path").asText());
            assertTrue(open.get("is_complete").asBoolean());
        }
    }

    @Test
    void aDirectoryIsToldAPageAtATime() throws Exception {
        int entries = 1_005;
        IntStream.range(0, entries).parallel().forEach(this::create);
        JsonNode first = console.json("/api/files?path=/d");
        assertEquals(1_000, first.get("entries").size());
        String next = first.get("next").asText();
        assertFalse(next.isEmpty());
        JsonNode second = console.json("/api/files?path=/d&after=" + ServedConsole.encoded(next));
        assertEquals("", second.get("next").asText());
        Set<String> names = new HashSet<>();
        List.of(first, second)
                .forEach(page -> page.get("entries")
                        .forEach(entry -> names.add(entry.get("name").asText())));
        assertEquals(5, second.get("entries").size());
        List<String> expected = new ArrayList<>();
        IntStream.range(0, entries).forEach(i -> expected.add("f" + i));
        assertEquals(new HashSet<>(expected), names);
    }

    private void create(int number) {
        try {
            client.create(TatamiPath.of("/d/f" + number), CreateSpec.DEFAULT).close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
