package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.server.console.Console;
import io.tatami.server.http.AdminSessions;
import io.tatami.server.http.HttpAccess;
import io.tatami.server.http.HttpRoutes;
import io.tatami.server.http.HttpServer;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How far a replica is behind its leader, as the console of a real cluster of three metadata servers tells it. */
final class ReplicaLagTest {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final String NAMESPACE = GroupId.NAMESPACE.toString();
    private static final int CHANGES = 40;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory = Path.of("");

    /** A console over HTTP, without the process around it. */
    private static final class Told implements AutoCloseable {
        private final Console console;
        private final HttpServer http;
        private final URI cluster;
        private final HttpClient browser = HttpClient.newHttpClient();

        /** @param port of a metadata server */
        Told(int port) throws Exception {
            HttpAccess access = new HttpAccess(new AdminSessions(Clock.SYSTEM, new SecureRandom()), Set.of());
            console = new Console(Settings.of(Map.of("tatami.http.collect.every", "200ms")), access, Clock.SYSTEM);
            HttpRoutes routes = new HttpRoutes();
            console.addTo(routes);
            http = new HttpServer(routes, access);
            InetSocketAddress address = http.start(new InetSocketAddress("127.0.0.1", 0));
            cluster = URI.create("http://127.0.0.1:" + address.getPort() + "/api/cluster");
            console.serves(new InetSocketAddress("localhost", port));
        }

        /**
         * How many entries of the namespace's log the server at a port lacks, as the page computes it; empty where one
         * of the two has told nothing yet.
         */
        OptionalLong lag(int port) throws Exception {
            HttpResponse<String> answer =
                    browser.send(HttpRequest.newBuilder(cluster).build(), HttpResponse.BodyHandlers.ofString());
            assertEquals(200, answer.statusCode(), answer.body());
            JsonNode data = JSON.readTree(answer.body()).get("data");
            if (data.isNull()) {
                return OptionalLong.empty();
            }
            JsonNode group = data.get("groups").get(0);
            assertEquals(NAMESPACE, group.get("group").asText());
            JsonNode there = applied(data, "localhost:" + port);
            JsonNode ofLeader = applied(data, group.get("leader").asText());
            return there.isMissingNode() || ofLeader.isMissingNode()
                    ? OptionalLong.empty()
                    : OptionalLong.of(Math.max(0, ofLeader.asLong() - there.asLong()));
        }

        private static JsonNode applied(JsonNode data, String address) {
            for (JsonNode server : data.get("applied_entries")) {
                if (server.get("address").asText().equals(address)) {
                    return server.get("groups").path(NAMESPACE);
                }
            }
            return data.path("of nobody");
        }

        boolean isLag(int port, long least, long most) throws Exception {
            OptionalLong lag = lag(port);
            return lag.isPresent() && lag.getAsLong() >= least && lag.getAsLong() <= most;
        }

        @Override
        public void close() {
            http.close();
            console.close();
        }
    }

    @Test
    void aReplicaThatIsAwayIsBehindAndCatchesUpWhenItIsBack() throws Exception {
        try (MetadataTrio trio = new MetadataTrio.InOneProcess(directory)) {
            trio.form();
            try (TatamiClient client = trio.connect()) {
                int leader = trio.leader(client, GroupId.NAMESPACE);
                int away = (leader + 1) % MetadataTrio.SERVERS;
                try (Told told = new Told(trio.ports[leader])) {
                    Eventually.await(PATIENCE, () -> told.isLag(trio.ports[away], 0, 0));
                    trio.kill(away);
                    for (int i = 0; i < CHANGES; i++) {
                        assertTrue(client.mkdirs(TatamiPath.of("/d" + i), CreateSpec.modes(0755, 0), true));
                    }
                    Eventually.await(PATIENCE, () -> told.isLag(trio.ports[away], CHANGES, Long.MAX_VALUE));
                    trio.start(away);
                    Eventually.await(PATIENCE, () -> told.isLag(trio.ports[away], 0, 0));
                }
            }
        }
    }
}
