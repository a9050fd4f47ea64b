package io.tatami.server.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.server.monitor.Monitoring.Role;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.Patience;
import io.tatami.server.node.SettingsOfAll;
import io.tatami.server.node.StandaloneNode;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The HTTP port of a process that has a metadata server and a block server. */
class MonitoringTest {
    private static final Path MONITORING = Path.of("..", "conf", "monitoring");

    @TempDir
    private Path directory;

    private final HttpClient http = HttpClient.newHttpClient();

    private static Monitoring open(String port) throws TatamiException {
        return Monitoring.open(
                Settings.of(Map.of("tatami.http.port", port)),
                SettingsOfAll.catalog(),
                Role.METADATA,
                "localhost",
                "1.2.3",
                Clock.SYSTEM);
    }

    private StandaloneNode serve(Monitoring monitoring) throws TatamiException {
        StandaloneNode node = StandaloneNode.open(
                new StandaloneNode.Setup(directory.resolve("d"), List.of(), 64L << 20, "localhost", 0, 2),
                Settings.defaults(),
                monitoring.around(user -> List.of()));
        monitoring.serves(node.metadata());
        monitoring.serves(node.block());
        return node;
    }

    private HttpResponse<String> get(Monitoring monitoring, String path, String... headers) throws Exception {
        InetSocketAddress address = monitoring.address().orElseThrow();
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://localhost:" + address.getPort() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private String post(Monitoring monitoring, String path, String session, String form) throws Exception {
        InetSocketAddress address = monitoring.address().orElseThrow();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + address.getPort() + path))
                .header("Authorization", "Bearer " + session)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form))
                .build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    private static TatamiClient client(StandaloneNode node) throws TatamiException {
        return ClusterAddress.of(node.uri())
                .connect(new Patience(Duration.ofMinutes(1), Duration.ofMinutes(2), System.err::println));
    }

    private static Set<String> found(String regex, String text) {
        return Pattern.compile(regex, Pattern.MULTILINE)
                .matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .collect(Collectors.toCollection(HashSet::new));
    }

    @Test
    void aScrapeTellsOfRequestsGroupsVolumesAndTheProcess() throws Exception {
        try (Monitoring monitoring = open("0");
                StandaloneNode node = serve(monitoring);
                TatamiClient client = client(node)) {
            client.cluster().status();
            String page = get(monitoring, "/metrics").body();
            assertTrue(page.contains("tatami_build_info{version=\"1.2.3\"} 1"), page);
            assertTrue(page.contains("tatami_group_leading{group=\"namespace\"} 1.0"), page);
            assertTrue(page.contains("tatami_group_leading{group=\"shard-1\"} 1.0"), page);
            assertTrue(page.matches("(?s).*\ntatami_group_log_bytes\\{group=\"namespace\"} [1-9].*"), page);
            assertTrue(page.contains("tatami_volume_stopped{volume="), page);
            assertTrue(page.contains("tatami_group_requests_total{group=\"namespace\"}"), page);
            assertTrue(page.contains("jvm_memory_used_bytes"), page);
            Set<String> methods = found("^tatami_rpc_call_duration_seconds_count\\{method=\"([^\"]*)\"}", page);
            assertTrue(methods.contains("cluster.map"), () -> "counted " + methods);
            assertTrue(methods.size() >= 3, () -> "counted " + methods);
        }
    }

    @Test
    void everyMetricHasHelpAndIsNamedByPrometheusConventions() throws Exception {
        try (Monitoring monitoring = open("0");
                StandaloneNode node = serve(monitoring);
                TatamiClient client = client(node)) {
            client.cluster().status();
            String page = get(monitoring, "/metrics").body();
            Set<String> named = found("^# TYPE (tatami_\\S+) ", page);
            Set<String> helped = found("^# HELP (tatami_\\S+) .*\\.$", page);
            assertEquals(named, helped);
            assertTrue(named.size() > 20, () -> "only " + named);
            Set<String> counters = found("^# TYPE (tatami_\\S+) counter$", page);
            assertTrue(counters.stream().allMatch(name -> name.endsWith("_total")), () -> "counters " + counters);
            Set<String> others = found("^# TYPE (tatami_\\S+) (?:gauge|histogram)$", page);
            assertTrue(others.stream().noneMatch(name -> name.endsWith("_total")), () -> "gauges " + others);
            Set<String> histograms = found("^# TYPE (tatami_\\S+) histogram$", page);
            assertTrue(
                    histograms.stream().allMatch(name -> name.endsWith("_seconds") || name.endsWith("_requests")),
                    () -> "histograms " + histograms);
        }
    }

    @Test
    void supervisorsSeeTheStartTheServiceAndTheEnd() throws Exception {
        try (Monitoring monitoring = open("0")) {
            assertEquals(200, get(monitoring, "/health").statusCode());
            assertEquals(503, get(monitoring, "/ready").statusCode());
            assertEquals("the server is starting\n", get(monitoring, "/ready").body());
            StandaloneNode node = serve(monitoring);
            try {
                assertEquals("ok\n", get(monitoring, "/ready").body());
                monitoring.stops();
                assertEquals(
                        "the server is stopping\n", get(monitoring, "/ready").body());
                assertEquals(200, get(monitoring, "/health").statusCode());
            } finally {
                node.close();
            }
            assertEquals(503, get(monitoring, "/health").statusCode());
        }
    }

    @Test
    void settingsStacksAndLevelsAreForAdministrators() throws Exception {
        try (Monitoring monitoring = open("0")) {
            for (String path : List.of("/conf", "/stacks", "/logLevel?logger=io.tatami")) {
                assertEquals(401, get(monitoring, path).statusCode(), path);
            }
            String invitation = monitoring.sessions().invite("anna");
            String login = post(monitoring, "/login", "", "invitation=" + invitation);
            assertTrue(login.startsWith("200 "), login);
            assertTrue(
                    post(monitoring, "/login", "", "invitation=" + invitation).startsWith("403 "), "used twice");
            String session = login.substring("200 ".length()).trim();
            String[] bearer = {"Authorization", "Bearer " + session};
            String conf = get(monitoring, "/conf", bearer).body();
            assertTrue(conf.contains("\ntatami.http.port=0\n"), conf);
            assertTrue(conf.contains("\ntatami.http.bind=127.0.0.1   # default\n"), conf);
            String stacks = get(
                            monitoring,
                            "/stacks",
                            "Cookie",
                            "tatami-session-"
                                    + monitoring.address().orElseThrow().getPort() + "=" + session)
                    .body();
            assertTrue(stacks.contains("ProcessText.stacks"), stacks);
            String level = post(monitoring, "/logLevel", session, "logger=io.tatami.no.such&level=debug");
            assertEquals("200 io.tatami.no.such DEBUG\n", level);
            String forged = post(monitoring, "/logLevel", session, "logger=x%0aFAKE&level=INFO");
            assertTrue(forged.startsWith("400 a logger has the name of a class"), forged);
            String bad = post(monitoring, "/logLevel", session, "logger=io.tatami.no.such&level=loud");
            assertTrue(bad.startsWith("400 LOUD is no level"), bad);
            assertTrue(post(monitoring, "/logout", session, "").startsWith("200 "), "logged out");
            assertEquals(401, get(monitoring, "/conf", bearer).statusCode());
        }
    }

    @Test
    void whatIsOffCountsNothingAndListensNowhere() throws Exception {
        try (Monitoring monitoring = open("none");
                StandaloneNode node = serve(monitoring);
                TatamiClient client = client(node)) {
            client.cluster().status();
            assertTrue(monitoring.address().isEmpty());
        }
    }

    @Test
    void aPortThatIsSetMustBeFreeAndOneThatIsFoundNeedNot() throws Exception {
        try (Monitoring first = open("0")) {
            int taken = first.address().orElseThrow().getPort();
            TatamiException failure = assertThrows(
                    TatamiException.class, () -> open(String.valueOf(taken)).close());
            assertEquals(ErrorCode.IN_USE, failure.code());
            assertTrue(String.valueOf(failure.getMessage()).contains("tatami.http.port"), failure.getMessage());
            try (Monitoring second = open("auto");
                    Monitoring third = open("auto")) {
                assertFalse(second.address().equals(third.address()));
            }
        }
        TatamiException bad =
                assertThrows(TatamiException.class, () -> open("99999").close());
        assertEquals(ErrorCode.INVALID_ARGUMENT, bad.code());
    }

    @Test
    void historyIsAskedForByNames() throws Exception {
        try (Monitoring monitoring = open("0")) {
            assertEquals(400, get(monitoring, "/history").statusCode());
            assertEquals(400, get(monitoring, "/history?name=jvm&points=x").statusCode());
            String curves =
                    get(monitoring, "/history?name=jvm_memory_used&points=5").body();
            assertTrue(curves.contains("\"step_seconds\":15"), curves);
        }
    }

    @Test
    void everyMetricThatAnAlertOrTheDashboardNamesIsAtALivePage() throws Exception {
        Set<String> named = new HashSet<>();
        for (String file : List.of("alerts.yml", "grafana.json")) {
            named.addAll(found("\\b(tatami_[a-z0-9_]+)", Files.readString(MONITORING.resolve(file))));
        }
        assertTrue(named.size() > 20, () -> "only " + named);
        try (Monitoring monitoring = open("0");
                StandaloneNode node = serve(monitoring);
                TatamiClient client = client(node)) {
            writeAndRead(client);
            long giveUpMillis = System.currentTimeMillis() + 30_000;
            assertThrows(TatamiException.class, () -> client.open(TatamiPath.of("/no/such"), ReadPolicy.SEQUENTIAL));
            // A block server's status is up to a second old.
            while (!named.isEmpty()) {
                named.removeAll(found(
                        "^(tatami_[a-z0-9_]+)", get(monitoring, "/metrics").body()));
                assertTrue(System.currentTimeMillis() < giveUpMillis, () -> "not told: " + named);
            }
        }
    }

    /** Enough of both that the times of large accesses are typical. */
    private static void writeAndRead(TatamiClient client) throws Exception {
        byte[] bytes = new byte[1 << 20];
        for (int i = 0; i < 20; i++) {
            TatamiPath path = TatamiPath.ROOT.child("f" + i);
            try (FileWriter file = client.create(path, CreateSpec.DEFAULT)) {
                file.write(bytes, 0, bytes.length);
            }
            try (FileReader file = client.open(path, ReadPolicy.SEQUENTIAL)) {
                assertTrue(file.read(ByteBuffer.wrap(bytes)) > 0);
            }
        }
    }
}
