package io.tatami.server.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.server.monitor.Monitoring;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.SettingsOfAll;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A cluster in this process with a console, asked over HTTP as a browser does. */
public final class ServedConsole implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long VOLUME_BYTES = 64L << 20;

    private final Path directory;
    private final Monitoring monitoring;
    private final StandaloneNode node;
    private final Deque<BlockNode> more = new ArrayDeque<>();
    private final HttpClient http = HttpClient.newHttpClient();

    /** @param every how often the cluster is asked */
    public ServedConsole(Path directory, String every) throws TatamiException {
        this(directory, every, null);
    }

    /** @param cache of the first block server; null for none */
    public ServedConsole(Path directory, String every, BlockNode.@Nullable CachePlace cache) throws TatamiException {
        this.directory = directory;
        Settings settings = Settings.of(Map.of("tatami.http.port", "0", "tatami.http.collect.every", every));
        monitoring = Monitoring.open(
                settings, SettingsOfAll.catalog(), Monitoring.Role.METADATA, "localhost", "1.2.3", Clock.SYSTEM);
        node = StandaloneNode.open(
                new StandaloneNode.Setup(directory.resolve("0"), List.of(), VOLUME_BYTES, "localhost", 0, 2, cache),
                Settings.defaults(),
                monitoring.around(user -> List.of()));
        monitoring.serves(node.metadata());
        monitoring.serves(node.block());
    }

    /** Starts another block server. */
    public BlockNode addBlockServer() throws TatamiException {
        BlockNode block = BlockNode.open(
                new BlockNode.Setup(
                        directory.resolve(String.valueOf(1 + more.size())),
                        List.of(),
                        VOLUME_BYTES,
                        "localhost",
                        0,
                        null,
                        "/rack-" + more.size()),
                node.metadata().cluster(),
                List.of(node.metadata().address()),
                BlockServerSettings.from(Settings.defaults()),
                BlockNode.Watch.NONE);
        more.push(block);
        return block;
    }

    public StandaloneNode node() {
        return node;
    }

    /** A client of the superuser. */
    public TatamiClient client() throws TatamiException {
        return client(System.getProperty("user.name"));
    }

    TatamiClient client(String user) throws TatamiException {
        return TatamiClient.connect(
                node.uri().substring("tatami://".length()), UserIdentity.of(user), Settings.defaults());
    }

    /** Makes a file of so many bytes. */
    static void write(TatamiClient client, String path, int length, CreateSpec spec) throws IOException {
        try (FileWriter writer = client.create(TatamiPath.of(path), spec)) {
            writer.write(new byte[length], 0, length);
        }
    }

    public String url(String path) {
        return "http://localhost:" + monitoring.address().orElseThrow().getPort() + path;
    }

    HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url(path)));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** What is answered with 200. */
    public JsonNode json(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = get(path);
        if (answer.statusCode() != 200) {
            throw new IOException(path + ": " + answer.statusCode() + " " + answer.body());
        }
        return JSON.readTree(answer.body());
    }

    /** @param session empty for none */
    HttpResponse<String> post(String path, String session, String form) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url(path)))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form));
        if (!session.isEmpty()) {
            request.header("Authorization", "Bearer " + session);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    public String invite() {
        return monitoring.sessions().invite("anna");
    }

    /** The secret of a new session of an administrator. */
    String session() {
        return monitoring.sessions().begin(invite()).orElseThrow();
    }

    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** The cluster ends, and the process with its port goes on. */
    public void closeCluster() throws TatamiException {
        while (!more.isEmpty()) {
            more.pop().close();
        }
        node.close();
    }

    /** The first figures, once there are some. */
    public JsonNode firstFigures() throws IOException, InterruptedException {
        Optional<JsonNode> figures = Optional.empty();
        while (figures.isEmpty()) {
            Thread.sleep(20);
            figures = Optional.of(json("/api/cluster"))
                    .filter(told -> !told.get("data").isNull());
        }
        return figures.get();
    }

    @Override
    public void close() throws TatamiException {
        try {
            closeCluster();
        } finally {
            monitoring.close();
        }
    }
}
