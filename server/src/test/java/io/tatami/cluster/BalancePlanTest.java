package io.tatami.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ServerId;
import io.tatami.cluster.CopyJudge.Healthy;
import io.tatami.cluster.CopyJudge.Kind;
import io.tatami.cluster.CopyJudge.KnownCopy;
import io.tatami.cluster.CopyJudge.Problem;
import io.tatami.cluster.ServersView.Server;
import io.tatami.cluster.ServersView.Standing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

final class BalancePlanTest {
    private static final int PERCENT = 10;
    private static final long CAPACITY = 10_000;
    private static final long LENGTH_MAX = 200;

    private static Server server(int id, long used) {
        return new Server(new ServerId(id), "host" + id, "/r", Standing.SERVES, CAPACITY, used);
    }

    private static KnownCopy copy(ServerId server) {
        return new KnownCopy(server, Kind.COUNTED, Problem.NONE);
    }

    private static BalancePlan plan(Server... servers) {
        return BalancePlan.of(new ServersView(List.of(servers), false), PERCENT);
    }

    @Test
    void movesBeginAtTheLimitAndEndAtHalfOfIt() {
        assertFalse(plan(server(1, 5_000), server(2, 4_000)).begins());
        assertTrue(plan(server(1, 5_001), server(2, 4_000)).begins());
        assertTrue(plan(server(1, 4_501), server(2, 4_000)).goesOn());
        assertFalse(plan(server(1, 4_500), server(2, 4_000)).goesOn());
        assertFalse(plan(server(1, 4_500)).begins());
        assertFalse(plan().begins());
    }

    @Test
    void onlyServersThatServeAndTellTheirRoomCount() {
        for (Standing standing : Standing.values()) {
            Server other = new Server(new ServerId(2), "host2", "/r", standing, CAPACITY, 0);
            assertEquals(
                    standing == Standing.SERVES, plan(server(1, 9_000), other).begins());
        }
        Server stale = new Server(new ServerId(2), "host2", "/r", Standing.SERVES, 0, 0);
        assertFalse(plan(server(1, 9_000), stale).begins());
    }

    @Test
    void noMoveMakesTheSourceEmptierThanTheMeanNorTheTargetFullerNorAServerFull() {
        BalancePlan plan = plan(server(1, 6_000), server(2, 4_000));
        List<KnownCopy> copies = List.of(copy(new ServerId(1)));
        assertTrue(plan.target(1, copies, new ServerId(1), 1_000, 7).isPresent());
        assertTrue(plan.target(1, copies, new ServerId(1), 1_001, 7).isEmpty());
        BalancePlan full = plan(server(1, 9_990), server(2, 9_990), server(3, 8_950));
        assertTrue(full.target(1, copies, new ServerId(1), 60, 7).isEmpty());
        assertTrue(full.target(1, copies, new ServerId(1), 40, 7).isPresent());
    }

    @Test
    void copyBesideTwoRacksIsMovedToAnEmptierServerOfAnyRack() {
        List<Server> servers = new ArrayList<>();
        long[] used = {8_000, 5_000, 5_000, 0, 0, 0};
        String[] racks = {"/r0", "/r0", "/r1", "/r0", "/r2", "/r3"};
        for (int id = 1; id <= used.length; id++) {
            servers.add(
                    new Server(new ServerId(id), "host" + id, racks[id - 1], Standing.SERVES, CAPACITY, used[id - 1]));
        }
        BalancePlan plan = BalancePlan.of(new ServersView(servers, false), PERCENT);
        List<KnownCopy> copies = List.of(copy(new ServerId(3)), copy(new ServerId(2)), copy(new ServerId(1)));
        Set<ServerId> targets = new HashSet<>();
        for (long seed = 0; seed < 100; seed++) {
            targets.add(plan.target(3, copies, new ServerId(1), 100, seed).orElseThrow());
        }
        assertEquals(Set.of(new ServerId(4), new ServerId(5), new ServerId(6)), targets);
    }

    /** A cluster of blocks, whose servers' figures are those of a while ago. */
    private static final class World {
        private final Random random;
        private final List<Server> servers = new ArrayList<>();
        private final List<List<ServerId>> holders = new ArrayList<>();
        private final List<Long> lengths = new ArrayList<>();
        private final List<Integer> wanted = new ArrayList<>();
        private long movedBytes;

        World(long seed) {
            random = new Random(seed);
            int count = 2 + random.nextInt(6);
            for (int id = 1; id <= count; id++) {
                String host = "host" + (random.nextInt(5) == 0 ? 1 : id);
                Standing standing = random.nextInt(8) == 0
                        ? Standing.values()[random.nextInt(Standing.values().length)]
                        : Standing.SERVES;
                servers.add(new Server(
                        new ServerId(id),
                        host,
                        "/rack" + random.nextInt(3),
                        standing,
                        CAPACITY * (1 + random.nextInt(2)),
                        0));
            }
            int filled = 1 + random.nextInt(count);
            for (int i = 0; i < 150; i++) {
                Set<ServerId> on = new HashSet<>();
                int copies = 1 + random.nextInt(3);
                for (int c = 0; c < copies; c++) {
                    on.add(new ServerId(1 + random.nextInt(filled)));
                }
                holders.add(new ArrayList<>(on));
                lengths.add(1 + (long) random.nextInt((int) LENGTH_MAX));
                wanted.add(on.size());
            }
        }

        ServersView view() {
            Map<ServerId, Long> used = new HashMap<>();
            for (int i = 0; i < holders.size(); i++) {
                for (ServerId holder : holders.get(i)) {
                    used.merge(holder, lengths.get(i), Long::sum);
                }
            }
            return new ServersView(
                    servers.stream()
                            .map(server -> server.with(used.getOrDefault(server.id(), 0L)))
                            .toList(),
                    false);
        }

        List<KnownCopy> copies(int block) {
            return holders.get(block).stream().map(BalancePlanTest::copy).toList();
        }

        private long distinct(int block, Function<Server, String> of) {
            return holders.get(block).stream()
                    .map(id -> of.apply(servers.get(id.value() - 1)))
                    .distinct()
                    .count();
        }

        /** The block's copy at the source is made at the target and given up, by what is known now. */
        void move(int block, ServerId source, ServerId target) {
            long hosts = distinct(block, Server::host);
            long racks = distinct(block, Server::rack);
            assertFalse(holders.get(block).contains(target));
            assertTrue(holders.get(block).remove(source));
            holders.get(block).add(target);
            assertTrue(distinct(block, Server::host) >= hosts, "fewer hosts");
            assertTrue(distinct(block, Server::rack) >= racks, "fewer racks");
            assertEquals(
                    Healthy.class,
                    new CopyJudge(view())
                            .judge(wanted.get(block), copies(block), server -> false, block)
                            .getClass());
            assertEquals(Standing.SERVES, servers.get(source.value() - 1).standing());
            assertEquals(Standing.SERVES, servers.get(target.value() - 1).standing());
            movedBytes += lengths.get(block);
        }

        /** One shard's round by figures that may be old; it knows of its own moves alone. */
        void round(BalancePlan figures, int shard, int shards) {
            BalancePlan plan = figures;
            for (ServerId source : figures.sources()) {
                long left = figures.excessBytes(source) / 2 / shards;
                for (int block = shard; block < holders.size(); block += shards) {
                    Optional<ServerId> move =
                            plan.target(wanted.get(block), copies(block), source, lengths.get(block), block);
                    if (move.isEmpty()) {
                        continue;
                    }
                    if (lengths.get(block) > left) {
                        if (random.nextDouble() * lengths.get(block) < left) {
                            plan = plan.moved(source, move.get(), lengths.get(block));
                            move(block, source, move.get());
                        }
                        break;
                    }
                    left -= lengths.get(block);
                    plan = plan.moved(source, move.get(), lengths.get(block));
                    move(block, source, move.get());
                }
            }
        }
    }

    @Test
    void movesByPresentFiguresEndAndNoBlockIsSpreadWorse() {
        int moved = 0;
        for (long seed = 0; seed < 300; seed++) {
            World world = new World(seed);
            BalancePlan plan = BalancePlan.of(world.view(), PERCENT);
            long excess = plan.excessBytes();
            boolean changed = true;
            while (changed) {
                changed = false;
                for (int block = 0; block < world.holders.size(); block++) {
                    for (ServerId source : plan.sources()) {
                        Optional<ServerId> move = plan.target(
                                world.wanted.get(block), world.copies(block), source, world.lengths.get(block), block);
                        if (move.isPresent()) {
                            world.move(block, source, move.get());
                            plan = BalancePlan.of(world.view(), PERCENT);
                            changed = true;
                            moved++;
                            break;
                        }
                    }
                }
            }
            long most = excess;
            assertTrue(world.movedBytes <= most, () -> "moved " + world.movedBytes + " of " + most);
        }
        assertTrue(moved > 1_000, "hardly anything was moved: " + moved);
    }

    @Test
    void shardsThatActAtOnceByOldFiguresDoNotOscillate() {
        int ended = 0;
        for (long seed = 0; seed < 200; seed++) {
            World world = new World(seed);
            int shards = 1 + world.random.nextInt(8);
            BalancePlan old = BalancePlan.of(world.view(), PERCENT);
            long excess = old.excessBytes();
            boolean underWay = old.begins();
            long last = -1;
            for (int round = 0; round < 60 && underWay; round++) {
                BalancePlan figures = BalancePlan.of(world.view(), PERCENT);
                for (int shard = 0; shard < shards; shard++) {
                    world.round(world.random.nextInt(4) == 0 ? old : figures, shard, shards);
                }
                old = figures;
                underWay = BalancePlan.of(world.view(), PERCENT).goesOn();
                last = world.movedBytes;
            }
            ended += underWay ? 0 : 1;
            long least = excess;
            assertTrue(
                    last <= 2 * least + shards * LENGTH_MAX,
                    () -> "moved " + world.movedBytes + " where " + least + " were too many");
        }
        assertTrue(ended > 100, "most clusters are not balanced: " + ended);
    }
}
