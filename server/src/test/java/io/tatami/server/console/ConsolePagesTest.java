package io.tatami.server.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.Release;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.InviteAdministratorReply;
import io.tatami.server.monitor.Monitoring;
import io.tatami.server.node.SettingsOfAll;
import io.tatami.server.node.StandaloneNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The console's answers about the cluster, over HTTP. */
@Timeout(120)
class ConsolePagesTest {
    private static final Pattern IMPORT = Pattern.compile("from '\\./([^']+)'");
    private static final Pattern STATUS_QUESTIONS = Pattern.compile(
            "^tatami_rpc_call_duration_seconds_count\\{method=\"block.status\"} (\\d+)", Pattern.MULTILINE);

    @TempDir
    private Path directory;

    @Test
    void theClusterIsToldWithTheAgeOfTheFigures() throws Exception {
        try (ServedConsole console = new ServedConsole(directory, "100ms")) {
            JsonNode told = console.firstFigures();
            assertTrue(told.get("age_millis").asLong(-1) >= 0, told::toString);
            assertEquals(100, told.get("every_millis").asInt());
            assertEquals("", told.get("failure").asText());
            JsonNode data = told.get("data");
            assertEquals(3, data.get("groups").size());
            assertEquals("active", data.get("block_servers").get(0).get("state").asText());
            assertEquals(1, data.get("block_servers").get(0).get("volumes").size());
            assertTrue(data.get("balance_is_on").asBoolean());
            assertTrue(data.get("heard_millis_ago").get("1").asLong(-1) >= 0, data::toString);
            assertEquals(1, data.get("applied_entries").size());
            JsonNode pending = console.json("/api/pending").get("data");
            assertEquals(3, pending.get("groups").size());
            assertEquals(0, pending.get("draining").size());
            assertEquals(0, console.json("/api/plans").get("data").get("tiers").size());
        }
    }

    @Test
    void serversTellTheirReleases() throws Exception {
        try (ServedConsole console = new ServedConsole(directory, "100ms")) {
            JsonNode data = console.firstFigures().get("data");
            while (data.get("metadata_servers").get(0).get("version").asText().isEmpty()) {
                Thread.sleep(50);
                data = console.json("/api/cluster").get("data");
            }
            assertEquals(
                    Release.name(),
                    data.get("metadata_servers").get(0).get("version").asText());
            assertEquals(
                    Release.name(),
                    data.get("block_servers").get(0).get("version").asText());
        }
    }

    @Test
    void figuresGrowOldAndSayWhyWhenTheClusterDoesNotAnswer() throws Exception {
        try (ServedConsole console = new ServedConsole(directory, "100ms")) {
            JsonNode before = console.firstFigures();
            console.closeCluster();
            JsonNode told = console.json("/api/cluster");
            while (told.get("failure").asText().isEmpty()) {
                Thread.sleep(50);
                told = console.json("/api/cluster");
            }
            assertEquals(
                    before.get("data").get("groups").size(),
                    told.get("data").get("groups").size());
            long age = told.get("age_millis").asLong();
            Thread.sleep(2);
            assertTrue(console.json("/api/cluster").get("age_millis").asLong() > age, "grows older");
            JsonNode events =
                    console.json("/api/events?kind=console").get("data").get("events");
            assertTrue(events.get(0).get("text").asText().startsWith("cannot ask the cluster: "), events::toString);
            assertEquals(503, console.get("/api/files?path=/").statusCode());
        }
    }

    @Test
    void changesAreEventsThatAreFilteredByKindAndSubject() throws Exception {
        try (ServedConsole console = new ServedConsole(directory, "100ms")) {
            assertFalse(console.firstFigures().isNull());
            console.addBlockServer();
            JsonNode found = console.json("/api/events?kind=block+server");
            while (found.get("data").get("events").isEmpty()) {
                Thread.sleep(50);
                found = console.json("/api/events?kind=block+server");
            }
            JsonNode event = found.get("data").get("events").get(0);
            assertTrue(event.get("subject").asText().contains("localhost"), event::toString);
            JsonNode none = console.json("/api/events?kind=block+server&subject=elsewhere");
            assertEquals(0, none.get("data").get("events").size());
            JsonNode one = console.json("/api/events?limit=1");
            assertEquals(1, one.get("data").get("events").size());
            assertEquals(400, console.get("/api/events?limit=x").statusCode());
        }
    }

    @Test
    void blockServersAreAskedAsOftenForFiftyReadersAsForOne() throws Exception {
        try (ServedConsole console = new ServedConsole(directory, "1h")) {
            assertFalse(console.firstFigures().isNull());
            assertEquals(1, statusQuestions(console));
            ExecutorService browsers = Executors.newFixedThreadPool(50);
            try {
                List<Callable<Integer>> readers = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    readers.add(() -> console.get("/api/cluster").statusCode());
                }
                for (Future<Integer> status : browsers.invokeAll(readers)) {
                    assertEquals(200, status.get());
                }
            } finally {
                browsers.shutdownNow();
            }
            assertEquals(1, statusQuestions(console));
        }
    }

    private static int statusQuestions(ServedConsole console) throws Exception {
        Matcher found = STATUS_QUESTIONS.matcher(console.get("/metrics").body());
        return found.find() ? Integer.parseInt(found.group(1)) : 0;
    }

    @Test
    void allFilesOfThePageAreServedFromTheJarAndRunNothingInline() throws Exception {
        try (ServedConsole console = new ServedConsole(directory, "1h")) {
            assertEquals(
                    "/console/",
                    console.get("/").headers().firstValue("location").orElseThrow());
            HttpResponse<String> page = console.get("/console/");
            assertEquals(200, page.statusCode());
            assertFalse(page.body().contains("style="), page.body());
            assertFalse(page.body().contains("http:"), page.body());
            assertTrue(page.headers()
                    .firstValue("content-security-policy")
                    .orElseThrow()
                    .contains("script-src 'self'"));
            for (String file : List.of("style.css", "icon.svg", "uplot.css", "uplot-license.txt")) {
                assertEquals(200, console.get("/console/" + file).statusCode(), file);
            }
            List<String> waiting = new ArrayList<>(List.of("main.js"));
            for (int i = 0; i < waiting.size(); i++) {
                HttpResponse<String> module = console.get("/console/" + waiting.get(i));
                assertEquals(200, module.statusCode(), waiting.get(i));
                assertEquals(
                        "text/javascript; charset=utf-8",
                        module.headers().firstValue("content-type").orElseThrow());
                Matcher imports = IMPORT.matcher(module.body());
                while (imports.find()) {
                    if (!waiting.contains(imports.group(1))) {
                        waiting.add(imports.group(1));
                    }
                }
                boolean isOwn = !waiting.get(i).equals("uplot.js");
                assertFalse(isOwn && module.body().contains("innerHTML"), waiting.get(i));
            }
            assertTrue(waiting.contains("uplot.js"), waiting::toString);
        }
    }

    @Test
    void changesAreForAdministratorsAndNeverDoneByGet() throws Exception {
        try (ServedConsole console = new ServedConsole(directory, "100ms");
                TatamiClient client = console.client()) {
            console.addBlockServer();
            assertFalse(console.firstFigures().isNull());
            for (String path : List.of("drain", "undrain", "balance", "scrub")) {
                HttpResponse<String> refused = console.post("/api/admin/" + path, "", "server=1&on=true");
                assertEquals(401, refused.statusCode(), path);
                assertEquals(
                        405,
                        console.get("/api/admin/" + path + "?server=1&on=true").statusCode(),
                        path);
            }
            assertEquals(401, console.get("/api/admin/stuck").statusCode());
            String session = console.session();
            String[] bearer = {"Authorization", "Bearer " + session};
            assertTrue(console.get("/api/session", bearer).body().contains("\"administrator\":\"anna\""));
            assertTrue(console.get("/api/session").body().contains("\"administrator\":\"\",\"reader\":\"nobody\""));
            assertEquals(
                    "{\"stuck\":[]}", console.get("/api/admin/stuck", bearer).body());
            assertEquals(
                    200, console.post("/api/admin/drain", session, "server=1").statusCode());
            assertEquals("DRAINING", stateOfFirst(client));
            assertEquals(
                    200, console.post("/api/admin/undrain", session, "server=1").statusCode());
            assertEquals("ACTIVE", stateOfFirst(client));
            assertEquals(
                    200, console.post("/api/admin/balance", session, "on=false").statusCode());
            assertEquals(-1, client.cluster().map().getBalancePercent());
            assertEquals(
                    200, console.post("/api/admin/balance", session, "on=true").statusCode());
            assertEquals(
                    200,
                    console.post("/api/admin/scrub", session, "server=1&on=true")
                            .statusCode());
            assertEquals(
                    400,
                    console.post("/api/admin/scrub", session, "server=1&on=maybe")
                            .statusCode());
            assertEquals(
                    400, console.post("/api/admin/drain", session, "server=all").statusCode());
            assertEquals(
                    404,
                    console.post("/api/admin/scrub", session, "server=99&on=true")
                            .statusCode());
            JsonNode events =
                    console.json("/api/events?kind=administration").get("data").get("events");
            assertEquals("begin of a scrub by anna", events.get(0).get("text").asText());
        }
    }

    @Test
    void aSuperuserIsInvitedAndNobodyElse() throws Exception {
        try (ServedConsole console = new ServedConsole(directory, "1h");
                TatamiClient superuser = console.client();
                TatamiClient other = console.client("bert")) {
            InviteAdministratorReply invited = superuser.cluster().inviteAdministrator();
            assertEquals(
                    console.url(""), "http://localhost:" + invited.getHttp().getPort());
            assertEquals("127.0.0.1", invited.getHttp().getHost());
            String form = "invitation=" + invited.getInvitation();
            HttpResponse<String> login = console.post("/login", "", form);
            assertEquals(200, login.statusCode());
            assertEquals(403, console.post("/login", "", form).statusCode());
            String session = console.get(
                            "/api/session",
                            "Authorization",
                            "Bearer " + login.body().trim())
                    .body();
            assertTrue(session.contains("\"administrator\":\"" + System.getProperty("user.name") + "\""), session);
            TatamiException refused =
                    assertThrows(TatamiException.class, () -> other.cluster().inviteAdministrator());
            assertEquals(ErrorCode.PERMISSION_DENIED, refused.code());
        }
    }

    @Test
    void aServerWithoutAnHttpPortInvitesNobodyAndSaysWhy() throws Exception {
        try (StandaloneNode node = StandaloneNode.open(
                        new StandaloneNode.Setup(directory.resolve("d"), List.of(), 64L << 20, "localhost", 0, 2),
                        Settings.defaults(),
                        user -> List.of());
                TatamiClient client = TatamiClient.connect(
                        node.uri().substring("tatami://".length()),
                        UserIdentity.of(System.getProperty("user.name")),
                        Settings.defaults())) {
            TatamiException refused =
                    assertThrows(TatamiException.class, () -> client.cluster().inviteAdministrator());
            assertEquals(ErrorCode.UNSUPPORTED, refused.code());
            assertTrue(String.valueOf(refused.getMessage()).contains("tatami.http.port"), refused.getMessage());
        }
    }

    private static String stateOfFirst(TatamiClient client) throws Exception {
        return client.cluster().map().getBlockServerList().get(0).getState().name();
    }

    @Test
    void aBlockServerSaysWhereTheConsoleIs() throws Exception {
        try (Monitoring monitoring = Monitoring.open(
                Settings.of(Map.of("tatami.http.port", "0")),
                SettingsOfAll.catalog(),
                Monitoring.Role.BLOCK,
                "localhost",
                "1.2.3",
                Clock.SYSTEM)) {
            int port = monitoring.address().orElseThrow().getPort();
            for (String path : List.of("/", "/console/")) {
                HttpResponse<String> answer = HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString());
                assertTrue(answer.body().contains("each metadata server"), answer.body());
            }
        }
    }
}
