package io.tatami.linear;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.linear.check.Call;
import io.tatami.linear.check.Operation;
import io.tatami.linear.check.RandomCalls;
import io.tatami.rpc.sim.SimFaults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes one history: the seed gives the clients, what they call in which order, how rough their ways are and which
 * mishaps happen after how many operations; how the threads take turns is the machine's. Used once, by one thread.
 */
final class HistoryRun {
    private static final int CLIENTS_MIN = 4;
    private static final int CLIENTS_MAX = 8;
    private static final int CALLS_MIN = 30;
    private static final int CALLS_MAX = 80;

    /** More changes of unknown outcome than these would make too many orders possible. */
    private static final int UNKNOWN_MAX = 8;

    private static final long PATIENT_MILLIS = 60_000;
    private static final SimFaults SMOOTH = new SimFaults(0, 0, 0, 0, 0);
    private static final SimFaults DOUBLING = new SimFaults(0, 3_000_000, 0, 0.3, 0);
    private static final SimFaults LOSING = new SimFaults(0, 2_000_000, 0.04, 0.1, 0.01);
    private static final AtomicLong ROOTS = new AtomicLong(System.nanoTime());

    private final long seed;
    private final Random random;
    private final Servers servers;
    private final Clients clients;
    private final Ways ways;
    private final Recorder recorder = new Recorder();
    private final String root = "/history-" + Long.toHexString(ROOTS.incrementAndGet());
    private final int clientCount;
    private final int callsOfEach;
    private final long operationMillis;
    private final List<RoughConnector> connectors = new ArrayList<>();

    HistoryRun(long seed, Servers servers, Clients clients) {
        this.seed = seed;
        this.random = new Random(seed);
        this.servers = servers;
        this.clients = clients;
        this.clientCount = CLIENTS_MIN + random.nextInt(CLIENTS_MAX - CLIENTS_MIN + 1);
        int calls = CALLS_MIN + random.nextInt(CALLS_MAX - CALLS_MIN + 1);
        this.callsOfEach = Math.max(1, calls / clientCount);
        this.operationMillis = random.nextInt(3) == 0 ? PATIENT_MILLIS / 4 : 400 + random.nextInt(400);
        SimFaults faults = List.of(SMOOTH, DOUBLING, LOSING).get(random.nextInt(3));
        this.ways = new Ways(faults);
        recorder.note("seed " + seed + ", " + faults + ", operations are tried for " + operationMillis + " ms");
    }

    /** @param counts of operations by outcome, of mishaps and of messages that were lost, are added up in it */
    List<Operation> run(Map<String, Long> counts) throws IOException, InterruptedException {
        begin(counts);
        for (int client = 0; client < clientCount; client++) {
            connectors.add(clients.connector(client, ways, seed * CLIENTS_MAX + client));
        }
        CountDownLatch working = new CountDownLatch(clientCount);
        ExecutorService threads = Executors.newFixedThreadPool(clientCount);
        List<Future<Map<String, Long>>> results = new ArrayList<>();
        try {
            for (int client = 0; client < clientCount; client++) {
                int number = client;
                results.add(threads.submit(() -> {
                    try {
                        return work(number);
                    } finally {
                        working.countDown();
                    }
                }));
            }
            new Mishaps(seed, servers, ways, connectors, servers.mishapMillisMax(), counts)
                    .happen(recorder, clientCount * callsOfEach, working);
            for (Future<Map<String, Long>> result : results) {
                result.get().forEach((what, count) -> counts.merge(what, count, Long::sum));
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a client of seed " + seed + " failed", e.getCause());
        } finally {
            threads.shutdown();
        }
        survey(counts);
        ways.addTo(counts);
        return recorder.history();
    }

    /** What happened beside, as comments of the history's text. */
    String notes() {
        return recorder.notes();
    }

    private void begin(Map<String, Long> counts) throws IOException, InterruptedException {
        try (TatamiClient client = clients.open(clients.connector(-1, new Ways(SMOOTH), seed), PATIENT_MILLIS)) {
            boolean made = client.mkdirs(TatamiPath.of(root), CreateSpec.modes(0777, 022), true);
            if (!made) {
                throw new IllegalStateException(root + " was there");
            }
        }
        performAll(RandomCalls.beginning(), counts);
    }

    /** What is there in the end. Reads that fail are asked again: all servers are up, and nothing is lost any more. */
    private void survey(Map<String, Long> counts) throws IOException, InterruptedException {
        performAll(RandomCalls.survey(), counts);
    }

    private void performAll(List<Call> calls, Map<String, Long> counts) throws IOException, InterruptedException {
        RoughConnector smooth = clients.connector(clientCount, new Ways(SMOOTH), seed);
        try (HistoryClient client =
                new HistoryClient(clientCount, clients.open(smooth, PATIENT_MILLIS), root, recorder, counts)) {
            for (Call call : calls) {
                if (!client.perform(call)) {
                    Path report = HistoryCheck.file("servers-" + seed + ".txt");
                    Files.writeString(report, notes() + servers.report());
                    throw new IllegalStateException(
                            "seed " + seed + ": nothing is amiss, and yet there is no answer to: " + call
                                    + "; what servers and clients say and do is in " + report,
                            client.unanswered());
                }
            }
        }
    }

    /** One client's part; where it dies, a new one takes its place. */
    private Map<String, Long> work(int number) throws IOException {
        Map<String, Long> outcomes = new TreeMap<>();
        Random own = new Random(seed * CLIENTS_MAX + number);
        int done = 0;
        while (done < callsOfEach && recorder.unknown() < UNKNOWN_MAX) {
            RoughConnector connector = connectors(number);
            try (HistoryClient client = open(number, connector, outcomes)) {
                while (done < callsOfEach && recorder.unknown() < UNKNOWN_MAX && !connector.isDead()) {
                    boolean unused = client.perform(next(own, client, number * 100 + ++done));
                }
            } catch (TatamiException e) {
                if (!connector.isDead()) {
                    throw e;
                }
            }
        }
        return outcomes;
    }

    private HistoryClient open(int number, RoughConnector connector, Map<String, Long> outcomes)
            throws TatamiException {
        return new HistoryClient(number, clients.open(connector, operationMillis), root, recorder, outcomes);
    }

    private static Call next(Random random, HistoryClient client, int file) {
        List<Integer> open = client.open();
        return !open.isEmpty() && random.nextInt(3) == 0
                ? Call.close(open.get(random.nextInt(open.size())))
                : RandomCalls.call(random, file);
    }

    /** The client's connections, or new ones where it has died. */
    private RoughConnector connectors(int number) {
        synchronized (connectors) {
            RoughConnector connector = connectors.get(number);
            if (connector.isDead()) {
                connector = clients.connector(number, ways, seed * CLIENTS_MAX + number);
                connectors.set(number, connector);
            }
            return connector;
        }
    }
}
