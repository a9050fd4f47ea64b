package io.tatami.meta.service.copies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.protocol.wire.Balance;
import io.tatami.protocol.wire.BlockServerInfo.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Copies move from full servers to empty ones by the tasks of a shard. */
final class BalancerTest {
    private static final int FILES = 60;

    private final CopiesCluster cluster = new CopiesCluster(3).balanced();
    private final List<FileId> files = new ArrayList<>();

    /** Files of two copies, one in each of two racks, on servers 1 to 3; a fourth server is empty. */
    private void fill() {
        for (int i = 0; i < FILES; i++) {
            files.add(cluster.file(2, i % 2 == 0 ? 1 : 3, 2));
        }
        cluster.join(4);
    }

    /** With blocks of another shard. */
    private static void fillFurther(CopiesCluster cluster, int server, int blocks) {
        for (long block = 1; block <= blocks; block++) {
            cluster.disk(server).put(1_000_000 + block, 0);
        }
    }

    private double difference() {
        return IntStream.rangeClosed(1, 4).mapToDouble(cluster::usedPart).max().orElse(0)
                - IntStream.rangeClosed(1, 4)
                        .mapToDouble(cluster::usedPart)
                        .min()
                        .orElse(0);
    }

    private int copiesMade() {
        return files.stream()
                .mapToInt(file -> cluster.block(file).getNewestCopyNumber())
                .sum();
    }

    private void assertWhole() {
        for (FileId file : files) {
            assertEquals(2, cluster.holders(file).size());
            assertEquals(
                    1,
                    cluster.holders(file).stream()
                            .filter(server -> server % 2 == 0)
                            .count());
            assertEquals(
                    null,
                    cluster.state()
                            .needs()
                            .urgency(new BlockId(cluster.block(file).getBlockId())));
        }
        assertTrue(cluster.disksEqualRecords(files));
    }

    @Test
    void newServerIsFilledUntilServersDifferByLessThanHalfAndNothingMovesAfterThat() {
        fill();
        assertTrue(difference() > 0.5);
        cluster.settle(400);
        assertTrue(difference() <= 0.05, () -> String.valueOf(difference()));
        assertWhole();
        int made = copiesMade();
        assertTrue(made <= 33, "copies moved more than once: " + made);
        Balance balance = cluster.status().getBalance();
        assertFalse(balance.getUnderWay());
        assertEquals(made, balance.getMovedCopies());
        assertEquals(made * CopiesCluster.LENGTH, balance.getMovedBytes());
        cluster.settle(200);
        assertEquals(made, copiesMade());
    }

    @Test
    void everyStepIsEndedByTheNextLeader() {
        fill();
        Random random = new Random(7);
        for (int i = 0; i < 600; i++) {
            cluster.run();
            if (random.nextInt(3) == 0) {
                cluster.loseLeader();
            }
            if (random.nextInt(4) == 0) {
                cluster.asked.clear();
            }
            cluster.makeAll();
            if (random.nextBoolean()) {
                cluster.reclaim();
            }
            cluster.pass(Duration.ofSeconds(1));
        }
        cluster.settle(400);
        assertTrue(difference() <= 0.10, () -> String.valueOf(difference()));
        assertWhole();
    }

    @Test
    void nothingMovesWhereServersDifferByLittleOrItIsSwitchedOff() {
        fill();
        cluster.balancePercent = -1;
        cluster.settle(100);
        assertEquals(0, copiesMade());
        assertTrue(cluster.status().getBalance().getWaitsFor().contains("switched"));
        cluster.balancePercent = 70;
        cluster.settle(100);
        assertEquals(0, copiesMade());
        assertFalse(cluster.status().getBalance().getUnderWay());
        cluster.balancePercent = 50;
        cluster.settle(5);
        assertTrue(cluster.status().getBalance().getUnderWay());
        assertTrue(copiesMade() > 0);
    }

    @Test
    void nothingMovesWhileServersAreSilentOrCopiesAreMissing() {
        fill();
        cluster.states.put(1, State.STALE);
        cluster.states.put(3, State.STALE);
        cluster.settle(50);
        assertEquals(0, copiesMade());
        assertTrue(cluster.status().getBalance().getWaitsFor().contains("silent"));
    }

    @Test
    void roundEndsWhereTheCopyOfAnotherServerWasGivenUp() {
        CopiesCluster one = new CopiesCluster(3).withRacks(1).balanced();
        for (int i = 0; i < FILES; i++) {
            one.file(3, 1, 2, 3);
        }
        one.join(4);
        fillFurther(one, 1, 10);
        while (one.asked.isEmpty()) {
            one.run();
            one.pass(Duration.ofSeconds(1));
        }
        int round = one.asked.size();
        fillFurther(one, 2, 20);
        one.settle(4);
        assertEquals(FILES + 10, one.disk(1).size());
        assertEquals(FILES + 20 - round, one.disk(2).size());
        assertEquals(round, one.status().getBalance().getMovedCopies());
        one.settle(20);
        assertTrue(one.disk(4).size() > round, "no other round began");
    }

    @Test
    void serverThatJoinsIsFilledAtOnceAlthoughNothingCouldBeMovedBefore() {
        CopiesCluster one = new CopiesCluster(2).withRacks(1).balanced();
        for (int i = 0; i < FILES; i++) {
            one.file(2, 1, 2);
        }
        fillFurther(one, 1, 20);
        one.settle(5);
        assertTrue(one.status().getBalance().getWaitsFor().contains("no block of this shard"));
        one.balancePercent = -1;
        one.settle(2);
        assertTrue(one.status().getBalance().getWaitsFor().contains("switched"));
        one.balancePercent = 0;
        one.settle(2);
        assertTrue(one.status().getBalance().getWaitsFor().contains("no block of this shard"));
        one.join(3);
        one.settle(3);
        assertTrue(one.disk(3).size() > 0);
        assertEquals("", one.status().getBalance().getWaitsFor());
    }

    @Test
    void serversThatDrainOrAreInMaintenanceGiveAndTakeNothing() {
        fill();
        cluster.states.put(4, State.MAINTENANCE);
        cluster.settle(100);
        assertEquals(0, cluster.disk(4).size());
        cluster.states.put(4, State.ACTIVE);
        cluster.states.put(2, State.MAINTENANCE);
        cluster.settle(100);
        assertEquals(FILES, cluster.disk(2).size());
    }

    @Test
    void blocksThatMayNotMoveAreTold() {
        for (int i = 0; i < FILES; i++) {
            files.add(cluster.file(4, 1, 2, 3));
        }
        cluster.join(4);
        cluster.states.put(4, State.DRAINING);
        cluster.settle(3);
        assertEquals(0, copiesMade());
        CopiesCluster two = new CopiesCluster(1).balanced();
        for (int i = 0; i < FILES; i++) {
            two.file(2, 1);
        }
        two.join(2);
        two.join(3);
        two.settle(30);
        assertTrue(two.status().getBalance().getUnderWay());
    }
}
