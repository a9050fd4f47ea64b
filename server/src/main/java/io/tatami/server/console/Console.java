package io.tatami.server.console;

import io.tatami.base.Clock;
import io.tatami.base.Threads;
import io.tatami.conf.SettingException;
import io.tatami.conf.Settings;
import io.tatami.server.http.HttpAccess;
import io.tatami.server.http.HttpAnswer;
import io.tatami.server.http.HttpRoutes;
import io.tatami.server.http.HttpSettings;
import io.tatami.server.http.Right;
import java.net.InetSocketAddress;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The console of a process with a metadata server. It asks the cluster as the user of this process, who formatted it or
 * is of its supergroup; the file system is read as {@code tatami.http.user}. Safe for use by many threads.
 */
public final class Console implements AutoCloseable {
    /** A cluster that does not answer holds up no server that is to end. */
    private static final long CLOSE_MILLIS = 500;

    private static final String ELSEWHERE =
            "A block server has no console. It is at the HTTP port of each metadata server, 9481 where nothing else is"
                    + " set.\n";

    private final LazyClient own;
    private final LazyClient reader;
    private final ClusterCollector collector;
    private final ClusterPages cluster;
    private final FilePages files;
    private final AdminPages administration;
    private final HotDirectories hotDirectories;
    private final AtomicBoolean started = new AtomicBoolean();

    /** @throws SettingException for a bad setting */
    public Console(Settings settings, HttpAccess access, Clock clock) throws SettingException {
        HttpSettings http = HttpSettings.from(settings);
        own = new LazyClient(System.getProperty("user.name"), settings);
        reader = new LazyClient(http.user(), settings);
        ClusterEvents events = new ClusterEvents(clock);
        collector = new ClusterCollector(own, events, http.collectEvery(), clock);
        cluster = new ClusterPages(collector, events, clock);
        Semaphore turn = new Semaphore(1);
        files = new FilePages(reader, clock, turn);
        hotDirectories = new HotDirectories(own, clock, turn);
        administration = new AdminPages(own, collector, events, access, http.user());
    }

    /** Adds every page, and what pages ask for. */
    public void addTo(HttpRoutes routes) {
        routes.get(
                "/",
                Right.READ,
                question ->
                        HttpAnswer.text(302, "the console is at /console/\n").withHeader("location", "/console/"));
        ConsoleAssets.addTo(routes);
        cluster.addTo(routes);
        files.addTo(routes);
        administration.addTo(routes);
        hotDirectories.addTo(routes);
    }

    /** For a process without a metadata server: says where to go. */
    public static void addSignpost(HttpRoutes routes) {
        routes.get("/", Right.READ, question -> HttpAnswer.text(404, ELSEWHERE))
                .get("/console/", Right.READ, question -> HttpAnswer.text(404, ELSEWHERE));
    }

    /** A metadata server of this process serves from now on. */
    public void serves(InetSocketAddress metadata) {
        own.connectsTo(metadata);
        reader.connectsTo(metadata);
        if (started.compareAndSet(false, true)) {
            collector.start();
        }
    }

    /** Asks nothing any more; pages show what was known last. May be repeated. */
    @Override
    public void close() {
        collector.close();
        Thread closing = Threads.daemon(this::closeClients, "console-close");
        closing.start();
        try {
            closing.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeClients() {
        reader.close();
        own.close();
    }
}
