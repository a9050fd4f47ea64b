package io.tatami.server.monitor;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.conf.SettingCatalog;
import io.tatami.conf.Settings;
import io.tatami.meta.service.host.GroupMapping;
import io.tatami.meta.service.host.HostSurroundings;
import io.tatami.meta.service.host.MetadataServer;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.InviteAdministratorReply;
import io.tatami.rpc.RequestObserver;
import io.tatami.server.console.Console;
import io.tatami.server.http.AdminSessions;
import io.tatami.server.http.HttpAccess;
import io.tatami.server.http.HttpAnswer;
import io.tatami.server.http.HttpJson;
import io.tatami.server.http.HttpQuestion;
import io.tatami.server.http.HttpRoutes;
import io.tatami.server.http.HttpServer;
import io.tatami.server.http.HttpSettings;
import io.tatami.server.http.Right;
import io.tatami.server.metrics.BlockMetrics;
import io.tatami.server.metrics.ClusterMetrics;
import io.tatami.server.metrics.GroupMetrics;
import io.tatami.server.metrics.MetricHistory;
import io.tatami.server.metrics.MetricsPage;
import io.tatami.server.metrics.RequestMetrics;
import io.tatami.server.node.BlockNode;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics of a server process and its HTTP port. Opened before the server, so that supervisors see how it starts;
 * closed after it. Where the port is off, nothing is counted. Opened, filled and closed by one thread.
 */
public final class Monitoring implements AutoCloseable {
    /** An hour. */
    private static final int POINTS_DEFAULT = 3_600 / MetricHistory.STEP_SECONDS;

    /** Of one answer, some hundred kilobytes. */
    private static final long VALUES_MAX = 50_000;

    private static final Logger LOG = LoggerFactory.getLogger(Monitoring.class);

    private final Clock clock;
    private final String host;
    private final ServerState state = new ServerState();
    private final AdminSessions sessions;
    private final MetricHistory history = new MetricHistory();
    private final ProcessDiagnostics diagnostics;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(Threads.daemons("monitor"));
    private final @Nullable Console console;
    private final @Nullable Port port;

    /** What a process is there for, which decides where its port is looked for. */
    public enum Role {
        METADATA(9481),
        BLOCK(9482);

        private final int port;

        Role(int port) {
            this.port = port;
        }
    }

    /** What there is where the port is on. */
    private record Port(
            HttpServer server,
            InetSocketAddress address,
            MetricsPage page,
            RequestMetrics requests,
            GroupMetrics batches) {}

    /**
     * Opens the port, if it is on.
     *
     * @param host the server's own, by which browsers may know it
     * @param version of this release
     * @param catalog of every setting
     * @throws TatamiException INVALID_ARGUMENT for a bad setting; IN_USE where a port that is set is taken
     */
    public static Monitoring open(
            Settings settings, SettingCatalog catalog, Role role, String host, String version, Clock clock)
            throws TatamiException {
        return new Monitoring(settings, catalog, role, host, version, clock);
    }

    private Monitoring(Settings settings, SettingCatalog catalog, Role role, String host, String version, Clock clock)
            throws TatamiException {
        this.clock = clock;
        this.host = host;
        this.sessions = new AdminSessions(clock, new SecureRandom());
        ProcessText process = new ProcessText(catalog, settings, version);
        this.diagnostics = new ProcessDiagnostics(process, this::metrics);
        HttpSettings http = HttpSettings.from(settings);
        if (http.isOff()) {
            port = null;
            console = null;
            return;
        }
        MetricsPage page = new MetricsPage(version);
        HttpRoutes routes = new HttpRoutes()
                .get("/metrics", Right.NONE, question -> metrics(page, question))
                .get("/history", Right.READ, this::history)
                .getAtOnce(
                        "/health",
                        Right.NONE,
                        question -> state(state.death().stream().toList()))
                .getAtOnce("/ready", Right.NONE, question -> state(state.problems()))
                .post("/login", Right.NONE, this::login)
                .post("/logout", Right.ADMINISTER, this::logout);
        new ProcessPages(process).addTo(routes);
        HttpAccess access = new HttpAccess(sessions, names(http, host));
        console = console(role, settings, access, routes);
        HttpServer server = new HttpServer(routes, access);
        InetSocketAddress address;
        try {
            address = listen(server, http, role);
        } catch (TatamiException | RuntimeException e) {
            server.close();
            throw e;
        }
        LOG.info("HTTP at http://{}:{}", address.getHostString(), address.getPort());
        var unused = timer.scheduleAtFixedRate(() -> take(page), 0, MetricHistory.STEP_SECONDS, TimeUnit.SECONDS);
        port = new Port(server, address, page, new RequestMetrics(page.registry()), new GroupMetrics(page.registry()));
    }

    private @Nullable Console console(Role role, Settings settings, HttpAccess access, HttpRoutes routes)
            throws TatamiException {
        return switch (role) {
            case METADATA -> {
                Console made = new Console(settings, access, clock);
                made.addTo(routes);
                yield made;
            }
            case BLOCK -> {
                Console.addSignpost(routes);
                yield null;
            }
        };
    }

    /** A part that fails when it is asked must not end the history. */
    private void take(MetricsPage page) {
        try {
            history.take(page.snapshot(), clock.wallMillis());
        } catch (RuntimeException | Error e) {
            LOG.error("the metrics of this moment could not be taken", e);
        }
    }

    private static Set<String> names(HttpSettings http, String host) {
        Set<String> names = new HashSet<>();
        names.add(host.toLowerCase(Locale.ROOT));
        names.add(http.bindHost().toLowerCase(Locale.ROOT));
        http.names().forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
        return names;
    }

    /** A server that is there for data is not kept from its work by a port that nobody asked for. */
    private static InetSocketAddress listen(HttpServer server, HttpSettings http, Role role) throws TatamiException {
        if (http.port().isPresent()) {
            return server.start(
                    new InetSocketAddress(http.bindHost(), http.port().getAsInt()));
        }
        try {
            return server.start(new InetSocketAddress(http.bindHost(), role.port));
        } catch (TatamiException e) {
            if (e.code() != ErrorCode.IN_USE) {
                throw e;
            }
            LOG.info("port {} is taken, so HTTP takes a free one", role.port, e);
            return server.start(new InetSocketAddress(http.bindHost(), 0));
        }
    }

    private static HttpAnswer metrics(MetricsPage page, HttpQuestion question) {
        MetricsPage.Text text = page.text(question.headers().get("accept"));
        return HttpAnswer.of(HttpAnswer.OK, text.contentType(), text.body());
    }

    /** As Prometheus's text; empty where the port is off. */
    private String metrics() {
        Port on = port;
        return on == null ? "" : new String(on.page().text(null).body(), StandardCharsets.UTF_8);
    }

    /** Curves by the beginning of their names, of the last hours. */
    private HttpAnswer history(HttpQuestion question) throws TatamiException {
        List<String> names = question.parameters().getOrDefault("name", List.of());
        if (names.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "/history needs the parameter name: the beginning of a metric's name; it may be repeated");
        }
        int points = number(question.parameter("points").orElse(String.valueOf(POINTS_DEFAULT)));
        Predicate<String> wanted = name -> names.stream().anyMatch(name::startsWith);
        if ((long) history.count(wanted) * points > VALUES_MAX) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "these are more than " + VALUES_MAX + " values; ask for fewer points, or by longer names");
        }
        return HttpJson.of(history.curves(wanted, points));
    }

    private static int number(String text) throws TatamiException {
        if (!text.matches("\\d{1,6}")) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, text + " is no number of points");
        }
        return Integer.parseInt(text);
    }

    private static HttpAnswer state(List<String> problems) {
        return problems.isEmpty() ? HttpAnswer.text("ok\n") : HttpAnswer.text(503, String.join("\n", problems) + "\n");
    }

    private HttpAnswer login(HttpQuestion question) throws TatamiException {
        Optional<String> session = sessions.begin(question.required("invitation"));
        if (session.isEmpty()) {
            return HttpAnswer.text(403, "this invitation was used, or is older than a minute; ask for another one\n");
        }
        return HttpAnswer.of(
                        HttpAnswer.OK,
                        "text/plain; charset=utf-8",
                        (session.get() + "\n").getBytes(StandardCharsets.UTF_8))
                .withHeader(
                        "set-cookie",
                        HttpAccess.cookie(question) + "=" + session.get() + "; Path=/; HttpOnly; SameSite=Strict");
    }

    private HttpAnswer logout(HttpQuestion question) {
        HttpAccess.session(question).ifPresent(sessions::end);
        return HttpAnswer.text("bye\n").withHeader("set-cookie", HttpAccess.cookie(question) + "=; Path=/; Max-Age=0");
    }

    /** For a metadata server that is to be watched. */
    public HostSurroundings around(GroupMapping groups) {
        Port on = port;
        return on == null
                ? HostSurroundings.of(groups, clock).telling(diagnostics)
                : new HostSurroundings(
                        groups,
                        clock,
                        on.requests(),
                        on.batches(),
                        user -> invitation(on.address(), user),
                        diagnostics);
    }

    /** A port on all addresses is reached by the server's own name. */
    private InviteAdministratorReply invitation(InetSocketAddress address, String user) {
        String reached = address.getAddress().isAnyLocalAddress() ? host : address.getHostString();
        return InviteAdministratorReply.newBuilder()
                .setHttp(Endpoint.newBuilder().setHost(reached).setPort(address.getPort()))
                .setInvitation(sessions.invite(user))
                .build();
    }

    /** For a block server that is to be watched. */
    public BlockNode.Watch watch() {
        Port on = port;
        return new BlockNode.Watch(on == null ? RequestObserver.NONE : on.requests(), diagnostics);
    }

    /** Tells of a metadata server of this process, which serves from now on. */
    public void serves(MetadataServer server) {
        Port on = port;
        if (on != null) {
            GroupMetrics.watch(on.page().registry(), server::replicas);
            ClusterMetrics.watch(on.page().registry(), new LedGroups(server)::ask, clock);
        }
        if (console != null) {
            console.serves(server.address());
        }
        diagnostics.add("metadata server", () -> ServerText.of(server));
        state.serves(
                "metadata server",
                () -> !server.replicas().isEmpty()
                                && server.replicas().stream()
                                        .allMatch(replica -> !replica.failure().isEmpty())
                        ? "no replica here works"
                        : "");
        var unused = server.ended().thenAccept(state::ended);
    }

    /** Tells of a block server of this process, which serves from now on. */
    public void serves(BlockNode node) {
        Port on = port;
        if (on != null) {
            BlockMetrics.watch(on.page().registry(), node.counts(), node::status, clock);
        }
        diagnostics.add("block server", () -> ServerText.of(node));
        state.serves(
                "block server",
                () -> node.status().getVolumeList().stream()
                                .allMatch(volume -> !volume.getFailure().isEmpty())
                        ? "no volume serves"
                        : "");
        var unused = node.ended().thenAccept(state::ended);
    }

    /** The server is told to stop. */
    public void stops() {
        timer.shutdown();
        state.stops();
        closeConsole();
    }

    private void closeConsole() {
        if (console != null) {
            console.close();
        }
    }

    /** Where the port listens; empty where it is off. */
    public Optional<InetSocketAddress> address() {
        return Optional.ofNullable(port).map(Port::address);
    }

    /** The sessions of administrators of this process. */
    public AdminSessions sessions() {
        return sessions;
    }

    @Override
    public void close() {
        timer.shutdownNow();
        diagnostics.close();
        closeConsole();
        Port on = port;
        if (on != null) {
            on.server().close();
        }
    }
}
