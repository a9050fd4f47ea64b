package io.tatami.hadoop.random;

import io.tatami.auth.HadoopGroups;
import io.tatami.base.GroupId;
import io.tatami.base.UuidBytes;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.server.MetadataTrio;
import io.tatami.server.node.BlockNode;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * As {@link RandomOperationsTest}, with every group on three metadata servers, of which the leader of one group after
 * the other dies and comes back meanwhile: what users are told and what is there must not show it. Few operations in
 * every build; the soak does 100,000.
 */
class ReplicatedOperationsTest {
    private static final long VOLUME_BYTES = 1L << 30;
    private static final int COMPARE_EVERY = Integer.getInteger("tatami.test.compare", 100);
    private static final int SOAK_OPERATIONS = Integer.getInteger("tatami.test.operations", 100_000);
    private static final List<GroupId> GROUPS = List.of(GroupId.NAMESPACE, GroupId.ofShard(0), GroupId.ofShard(1));
    private static final Map<String, String> SETTINGS = Map.of(
            "tatami.block.size.min", "1",
            "tatami.block.credit.size", "1m",
            "tatami.directory.spread.entries", "1000");

    @TempDir
    private Path directory = Path.of("");

    @Test
    void randomOperationsComeToTheSameWhileLeadersDie() throws Exception {
        run(1, 160, 80, 30);
    }

    @Test
    @Tag("soak")
    void aHundredThousandRandomOperationsComeToTheSameWhileLeadersDie() throws Exception {
        run(System.nanoTime() & Integer.MAX_VALUE, SOAK_OPERATIONS, 2_000, 500);
    }

    /** @param operationsOfADeath between a death and the return, and between that and the next death */
    private void run(long first, int operations, int operationsARound, int operationsOfADeath) throws Exception {
        long seed = Long.getLong("tatami.test.seed", first);
        System.out.println("seeds from " + seed);
        Configuration groups = new Configuration();
        try (MetadataTrio trio = new MetadataTrio.InOneProcess(
                directory.resolve("meta"),
                new int[MetadataTrio.SERVERS],
                server -> SETTINGS,
                new HadoopGroups(groups))) {
            trio.form();
            Coverage coverage = new Coverage();
            try (TatamiClient observer = trio.connect();
                    BlockNode blocks = startBlocks(trio, observer);
                    Clusters clusters = Clusters.start(
                            Files.createDirectory(directory.resolve("hdfs")).toFile(), () -> configuration(trio))) {
                System.out.println("block server " + blocks.id());
                AtomicInteger deaths = new AtomicInteger();
                CompletableFuture<Void> rounds = CompletableFuture.runAsync(() -> {
                    try {
                        long next = seed;
                        // More of them where servers take longer to come back than operations take.
                        do {
                            new Rounds(clusters, coverage, COMPARE_EVERY).run(next, operations, operationsARound);
                            next += operations / operationsARound;
                        } while (deaths.get() < GROUPS.size());
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
                letLeadersDie(trio, observer, coverage, rounds, operationsOfADeath, deaths);
                rounds.get(1, TimeUnit.DAYS);
                System.out.println(deaths + " deaths of leaders; " + coverage);
            }
        }
    }

    private BlockNode startBlocks(MetadataTrio trio, TatamiClient observer) throws Exception {
        List<InetSocketAddress> metadata = Arrays.stream(trio.authority().split(","))
                .map(server -> server.split(":"))
                .map(server -> InetSocketAddress.createUnresolved(server[0], Integer.parseInt(server[1])))
                .toList();
        return BlockNode.open(
                new BlockNode.Setup(directory.resolve("block"), List.of(), VOLUME_BYTES, "localhost", 0),
                UuidBytes.get(observer.cluster().status().map().getClusterId().asReadOnlyByteBuffer()),
                metadata,
                BlockServerSettings.from(Settings.of(SETTINGS)));
    }

    private static Configuration configuration(MetadataTrio trio) {
        Configuration configuration = new Configuration();
        configuration.set("fs.defaultFS", "tatami://" + trio.authority());
        configuration.set("tatami.client.block.size", "1m");
        configuration.set("tatami.client.operation.timeout", "180s");
        return configuration;
    }

    /** Of one group after the other, until the rounds are done. */
    private static void letLeadersDie(
            MetadataTrio trio,
            TatamiClient observer,
            Coverage coverage,
            CompletableFuture<Void> rounds,
            int operations,
            AtomicInteger deaths)
            throws Exception {
        awaitOperations(coverage, operations, rounds);
        while (!rounds.isDone()) {
            int leader = trio.leader(observer, GROUPS.get(deaths.get() % GROUPS.size()));
            trio.kill(leader);
            deaths.incrementAndGet();
            awaitOperations(coverage, operations, rounds);
            trio.start(leader);
            awaitOperations(coverage, operations, rounds);
        }
    }

    private static void awaitOperations(Coverage coverage, int operations, CompletableFuture<Void> rounds)
            throws InterruptedException {
        long enough = coverage.operations() + operations;
        while (coverage.operations() < enough && !rounds.isDone()) {
            Thread.sleep(10);
        }
    }
}
