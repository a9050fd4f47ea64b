package io.tatami.crash;

import io.tatami.client.TatamiClient;
import io.tatami.client.model.FsckReport;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.SafeModeRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The clients of one cluster through all its crashes, each with its ledger: they work on a node until it ends, and
 * compare with their ledgers what the next node shows. Used by one thread.
 */
public final class CrashCourse {
    private static final int CLIENTS = 2;
    private static final long END_MILLIS_MAX = 10_000;
    private static final long QUIET_SECONDS_MAX = 60;
    private static final long POLL_MILLIS = 100;

    private static final Settings SETTINGS = Settings.of(Map.of(
            "tatami.client.operation.timeout", "60s",
            "tatami.client.lease.renewal", "100ms",
            "tatami.client.block.timeout", "20s"));

    private final List<Ledger> ledgers = new ArrayList<>();
    private final List<Random> randoms = new ArrayList<>();

    public CrashCourse(long seed) {
        for (int client = 0; client < CLIENTS; client++) {
            ledgers.add(new Ledger());
            randoms.add(new Random(seed * CLIENTS + client));
        }
    }

    static TatamiClient connect(NodeProcess node) throws IOException {
        return TatamiClient.connect(node.authority(), UserIdentity.of(System.getProperty("user.name")), SETTINGS);
    }

    /** How many operations were acknowledged so far; may be asked by any thread. */
    public long acknowledged() {
        return ledgers.stream().mapToLong(Ledger::acknowledged).sum();
    }

    /** Looks at all that was acknowledged, every file read to its end, and has the metadata checked. */
    public void verify(NodeProcess node, String when) throws IOException, InterruptedException {
        try (TatamiClient client = connect(node)) {
            client.cluster().safeMode(SafeModeRequest.Action.LEAVE);
            for (int i = 0; i < CLIENTS; i++) {
                ledgers.get(i).compare(new Observation(client).tree(rootOf(i)), when);
            }
            fsck(client, when);
        }
    }

    /** What is under way between shards may be reported, so a finding counts when it stays. */
    private static void fsck(TatamiClient client, String when) throws IOException, InterruptedException {
        long begunNanos = System.nanoTime();
        FsckReport report = client.cluster().fsck(TatamiPath.ROOT);
        while (!report.findings().isEmpty() || report.openFiles() > 0) {
            if (System.nanoTime() - begunNanos > TimeUnit.SECONDS.toNanos(QUIET_SECONDS_MAX)) {
                throw new AssertionError(
                        when + ": fsck finds " + report.findings() + ", and " + report.openFiles() + " open files");
            }
            Thread.sleep(POLL_MILLIS);
            report = client.cluster().fsck(TatamiPath.ROOT);
        }
    }

    /**
     * Has all clients work, at once, for some rounds.
     *
     * @return whether the node ended meanwhile; what failed then is left open in the ledgers
     * @throws AssertionError where anything fails while the node goes on
     */
    public boolean work(NodeProcess node, int rounds) throws IOException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        node.onExit(threads::shutdownNow);
        List<TatamiClient> clients = new ArrayList<>();
        try {
            List<Workload> workloads = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(connect(node));
                workloads.add(new Workload(clients.get(i), ledgers.get(i), randoms.get(i), rootOf(i)));
            }
            for (int round = 0; round < rounds; round++) {
                List<Callable<Void>> tasks = new ArrayList<>();
                workloads.forEach(workload -> tasks.add(() -> {
                    workload.round();
                    return null;
                }));
                for (Future<Void> done : threads.invokeAll(tasks)) {
                    done.get();
                }
                threads.submit(() -> lookAround(clients.get(0))).get();
            }
            return false;
        } catch (ExecutionException | IOException | RejectedExecutionException e) {
            if (node.endsWithin(END_MILLIS_MAX)) {
                return true;
            }
            throw new AssertionError("an operation failed on a node that goes on", e);
        } finally {
            end(threads, clients);
        }
    }

    private static void end(ExecutorService threads, List<TatamiClient> clients) throws InterruptedException {
        threads.shutdownNow();
        if (!threads.awaitTermination(QUIET_SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new AssertionError("a client does not end");
        }
        clients.forEach(TatamiClient::close);
    }

    /** What concerns everybody, while nobody else works. */
    private static Void lookAround(TatamiClient client) throws IOException {
        client.cluster().safeMode(SafeModeRequest.Action.ENTER);
        client.cluster().safeMode(SafeModeRequest.Action.LEAVE);
        client.cluster().status();
        client.cluster().fsck(TatamiPath.ROOT);
        return null;
    }

    private static String rootOf(int client) {
        return "/client-" + client;
    }
}
