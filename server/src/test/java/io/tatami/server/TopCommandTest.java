package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.console.ServedConsole;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code tatami top} beside a cluster whose clients work. */
@Timeout(120)
final class TopCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String REQUESTS = "requests_per_second";
    private static final int BYTES = 100_000;

    @TempDir
    private Path directory;

    /** A client that makes, reads and deletes a file in a directory of its own, until that is ended. */
    private static final class Work {
        private final TatamiClient client;
        private final TatamiPath file;
        private final AtomicBoolean isOver = new AtomicBoolean();
        private final AtomicReference<Exception> failure = new AtomicReference<>();
        private final Thread thread = Threads.daemon(this::run, "work");

        Work(String address, String user, TatamiPath directory) throws TatamiException {
            client = TatamiClient.connect(address, UserIdentity.of(user), Settings.defaults());
            file = directory.child("file");
            thread.start();
        }

        private void run() {
            try {
                while (!isOver.get()) {
                    try (FileWriter writer = client.create(file, CreateSpec.DEFAULT)) {
                        writer.write(new byte[BYTES], 0, BYTES);
                    }
                    assertEquals(BYTES, client.status(file, false).lengthBytes());
                    assertTrue(client.delete(file, false));
                }
            } catch (IOException | RuntimeException e) {
                failure.set(e);
            }
        }

        void end() throws InterruptedException {
            isOver.set(true);
            thread.join();
            client.close();
            assertEquals(null, failure.get());
        }
    }

    private static TatamiPath directory(ServedConsole cluster, String path) throws TatamiException {
        try (TatamiClient client = cluster.client()) {
            assertTrue(client.mkdirs(TatamiPath.of(path), CreateSpec.modes(0777, 0), true));
        }
        return TatamiPath.of(path);
    }

    private static String address(ServedConsole cluster) {
        return cluster.node().uri().substring("tatami://".length());
    }

    private static JsonNode named(JsonNode list, String field, String value) {
        for (JsonNode each : list) {
            if (each.get(field).asText().equals(value)) {
                return each;
            }
        }
        throw new AssertionError(value + " is not in " + list);
    }

    @Test
    void ratesOfUsersDirectoriesAndServersAreTold() throws Exception {
        try (ServedConsole cluster = new ServedConsole(directory, "1h")) {
            List<Work> works = List.of(
                    new Work(address(cluster), "anna", directory(cluster, "/of/anna")),
                    new Work(address(cluster), "bert", directory(cluster, "/of/b\033[31m")));
            try {
                checkRates(cluster.node().uri());
                checkText(cluster.node().uri());
            } finally {
                for (Work work : works) {
                    work.end();
                }
            }
        }
    }

    private static void checkRates(String uri) throws Exception {
        String out = CommandRun.run(ExitCode.DONE, "top", uri, "--json", "--interval", "500ms", "--count", "2");
        List<String> lines = out.lines().toList();
        assertEquals(2, lines.size(), out);
        JsonNode last = JSON.readTree(lines.get(1));
        assertEquals(3, last.get("measured_groups").asInt(), out);
        double all = last.get(REQUESTS).asDouble();
        double anna = named(last.get("users"), "user", "anna").get(REQUESTS).asDouble();
        double bert = named(last.get("users"), "user", "bert").get(REQUESTS).asDouble();
        assertTrue(anna > 0 && bert > 0 && all >= (anna + bert) * 0.99, out);
        JsonNode directory = named(last.get("directories"), "path", "/of/anna");
        assertTrue(directory.get(REQUESTS).asDouble() > 0, out);
        JsonNode leader = last.get("metadata_servers").get(0);
        assertEquals(all, leader.get(REQUESTS).asDouble(), 1e-6, out);
        JsonNode block = last.get("block_servers").get(0);
        assertTrue(block.get("bytes_written_per_second").asDouble() > 0, out);
        assertEquals(0, last.get("unmeasured").size(), out);
    }

    private static void checkText(String uri) {
        String text = CommandRun.run(ExitCode.DONE, "top", uri, "--interval", "500ms", "--count", "1", "--rows", "99");
        for (String part : List.of("  anna\n", "  localhost\n", "  /of/b?[31m\n", "by clients, counted by 3 groups")) {
            assertTrue(text.contains(part), text);
        }
    }

    @Test
    void onlyTheSuperuserIsToldAndAShortIntervalIsRefused() throws Exception {
        try (ServedConsole cluster = new ServedConsole(directory, "1h")) {
            String refused =
                    CommandRun.run(ExitCode.USAGE, "top", cluster.node().uri(), "--interval", "1ms", "--count", "1");
            assertTrue(refused.contains("--interval is shorter than 100ms"), refused);
            TatamiClient other = TatamiClient.connect(address(cluster), UserIdentity.of("anna"), Settings.defaults());
            try (other) {
                assertTrue(
                        other.cluster().traffic().stream().allMatch(group -> group.counts() == null),
                        "others are not told");
            }
        }
    }

    @Test
    void whereNothingIsCountedTheCommandEndsWithTheRemedy() throws Exception {
        try (StandaloneNode node = StandaloneNode.open(
                new StandaloneNode.Setup(directory.resolve("d"), List.of(), 64L << 20, "localhost", 0, 1),
                Settings.defaults(),
                user -> List.of())) {
            String told = CommandRun.run(ExitCode.USAGE, "top", node.uri(), "--count", "1");
            assertTrue(told.contains("start the metadata server without tatami.http.port=none"), told);
            assertFalse(told.contains("requests a second"), told);
        }
    }
}
