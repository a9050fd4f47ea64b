package io.tatami.benchmarks.workload.ceiling;

import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Block servers without volumes, all in this process, each of which talks as often as a real one at rest: heartbeats
 * every {@value #HEARTBEAT_MILLIS} ms, and a question to each shard every {@value #CREDITS_MILLIS} ms.
 */
final class FakeFleet implements AutoCloseable {
    static final int HEARTBEAT_MILLIS = 3_000;

    /** The longest rest of a real one's credits, which those that are not used have. */
    static final int CREDITS_MILLIS = 2_000;

    /** Registering at the same time. */
    private static final int JOINING_MAX = 64;

    private final int shards;
    private final List<FakeBlockServer> servers = new ArrayList<>();
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
    private final ConcurrentHashMap.KeySetView<FakeBlockServer, Boolean> silent = ConcurrentHashMap.newKeySet();
    private final AtomicLong heartbeats = new AtomicLong();
    private final AtomicLong gifts = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();

    /** Registers them, and returns when all are. */
    FakeFleet(
            int count, int shards, UUID cluster, List<InetSocketAddress> seeds, EventLoops loops, RpcSettings settings)
            throws Exception {
        this.shards = shards;
        try {
            for (int first = 0; first < count; first += JOINING_MAX) {
                List<CompletableFuture<?>> joining = new ArrayList<>();
                for (int i = first; i < Math.min(count, first + JOINING_MAX); i++) {
                    FakeBlockServer server = new FakeBlockServer(i, shards, cluster, seeds, loops, settings);
                    servers.add(server);
                    joining.add(server.register().thenCompose(reply -> server.heartbeat()));
                }
                CompletableFuture.allOf(joining.toArray(CompletableFuture<?>[]::new))
                        .get(2, TimeUnit.MINUTES);
            }
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    /** From now on they talk, evenly over time. */
    void talk() {
        for (int i = 0; i < servers.size(); i++) {
            FakeBlockServer server = servers.get(i);
            every(HEARTBEAT_MILLIS, i, server, () -> count(server.heartbeat(), heartbeats));
            for (int shard = 0; shard < shards; shard++) {
                int of = shard;
                every(CREDITS_MILLIS, i, server, () -> count(server.giveCredits(of), gifts));
            }
        }
    }

    private void every(long millis, int place, FakeBlockServer server, Runnable call) {
        var unused = timer.scheduleAtFixedRate(
                () -> {
                    if (!silent.contains(server)) {
                        call.run();
                    }
                },
                millis * place / servers.size(),
                millis,
                TimeUnit.MILLISECONDS);
    }

    private void count(CompletableFuture<?> call, AtomicLong answered) {
        var unused = call.whenComplete((reply, failure) -> (failure == null ? answered : failures).incrementAndGet());
    }

    /**
     * Calls of all servers, each again as soon as it is answered.
     *
     * @return how many were answered
     */
    long burst(Function<FakeBlockServer, CompletableFuture<?>> call, double seconds, int together) throws Exception {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        AtomicLong answered = new AtomicLong();
        List<CompletableFuture<?>> chains = new ArrayList<>();
        for (int i = 0; i < Math.min(together, servers.size()); i++) {
            chains.add(chain(servers.get(i), call, end, answered));
        }
        CompletableFuture.allOf(chains.toArray(CompletableFuture<?>[]::new)).get(2, TimeUnit.MINUTES);
        return answered.get();
    }

    private static CompletableFuture<?> chain(
            FakeBlockServer server,
            Function<FakeBlockServer, CompletableFuture<?>> call,
            long endNanos,
            AtomicLong answered) {
        return call.apply(server).thenComposeAsync(reply -> {
            answered.incrementAndGet();
            return System.nanoTime() < endNanos
                    ? chain(server, call, endNanos, answered)
                    : CompletableFuture.completedFuture(null);
        });
    }

    /** A server says nothing any more. */
    int silence(int place) {
        silent.add(servers.get(place));
        return servers.get(place).id();
    }

    long heartbeats() {
        return heartbeats.get();
    }

    long gifts() {
        return gifts.get();
    }

    long failures() {
        return failures.get();
    }

    @Override
    public void close() {
        timer.shutdownNow();
        servers.forEach(FakeBlockServer::close);
    }
}
