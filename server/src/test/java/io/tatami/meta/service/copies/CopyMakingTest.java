package io.tatami.meta.service.copies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.CopiesChange;
import io.tatami.meta.op.FileRemoval;
import io.tatami.meta.service.copies.CopiesCluster.Asked;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.protocol.wire.BlockServerInfo.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies are made, counted and given up by the tasks of a shard, over block servers that are sets of blocks. */
final class CopyMakingTest {
    private final CopiesCluster cluster = new CopiesCluster(4);

    private boolean isQueued(FileId file) {
        return cluster.state().needs().urgency(new BlockId(cluster.block(file).getBlockId())) != null;
    }

    @Test
    void missingCopiesAreMadeInTwoRacks() {
        FileId file = cluster.file(3, 1);
        cluster.look(file);
        cluster.settle(5);
        assertEquals(3, cluster.holders(file).size());
        assertTrue(cluster.disksEqualRecords(List.of(file)));
        assertFalse(isQueued(file));
        assertNotEquals(Set.of(1, 3), cluster.holders(file), "all copies are in one rack");
    }

    @Test
    void numberOfCopiesGoesUpAndDown() {
        FileId file = cluster.file(1, 2);
        for (int replication : new int[] {3, 1, 4, 2}) {
            cluster.change(state -> CopiesChange.apply(state, file, replication));
            cluster.settle(15);
            assertEquals(replication, cluster.holders(file).size());
            assertTrue(cluster.disksEqualRecords(List.of(file)));
            assertFalse(isQueued(file));
        }
    }

    @Test
    void nextLeaderAsksForWhatTheOneBeforeItIntended() {
        FileId file = cluster.file(2, 1);
        cluster.look(file);
        cluster.run();
        Asked first = cluster.asked.remove(0);
        cluster.loseLeader();
        cluster.run();
        assertEquals(List.of(first), cluster.asked);
        cluster.makeAll();
        cluster.make(first);
        cluster.settle(3);
        assertEquals(2, cluster.holders(file).size());
        assertTrue(cluster.disksEqualRecords(List.of(file)));
    }

    @Test
    void copyThatNothingIsHeardOfIsAskedForAgain() {
        FileId file = cluster.file(2, 1);
        cluster.look(file);
        cluster.run();
        Asked lost = cluster.asked.remove(0);
        cluster.pass(PullsInFlight.AGAIN.minusSeconds(1));
        cluster.run();
        assertEquals(List.of(), cluster.asked);
        cluster.pass(Duration.ofSeconds(1));
        cluster.run();
        assertEquals(List.of(lost), cluster.asked);
    }

    @Test
    void copyOfAFileThatIsGoneIsReclaimed() {
        FileId file = cluster.file(2, 1);
        cluster.look(file);
        cluster.run();
        cluster.change(state -> FileRemoval.unlinkHome(state, file));
        cluster.settle(3);
        assertTrue(cluster.disks.values().stream().allMatch(disk -> disk.isEmpty()), cluster.disks::toString);
        assertEquals(0, cluster.status().getIntendedCopies());
    }

    @Test
    void copyOfABlockThatWasSealedMeanwhileIsReclaimed() {
        FileId file = cluster.file(2, 1);
        cluster.look(file);
        cluster.run();
        Asked before = cluster.asked.remove(0);
        cluster.change(state -> {
            BlockRecord.Builder sealed =
                    cluster.block(file).toBuilder().setGeneration(2).setIssuedGeneration(2);
            BlockCopies.of(sealed).clearIntended();
            state.removeReplica(new ServerId(before.server()), new BlockId(sealed.getBlockId()));
            state.changeBlock(file, 0, sealed.build());
        });
        cluster.make(before);
        assertEquals(Set.of(1), cluster.holders(file));
        cluster.reclaim();
        assertEquals(Set.of(1), cluster.onDisks(file));
        cluster.settle(3);
        assertEquals(2, cluster.holders(file).size());
        assertTrue(cluster.disksEqualRecords(List.of(file)));
    }

    @Test
    void anotherServerIsAskedWhereOneFailsOrIsBusy() {
        FileId file = cluster.file(2, 1);
        cluster.look(file);
        cluster.run();
        Asked failed = cluster.asked.remove(0);
        cluster.report(
                failed.server(),
                CopiesCluster.made(failed.item())
                        .setError(ErrorCode.IO_ERROR.number())
                        .setMessage("a disk failed")
                        .build());
        assertTrue(cluster.status().getStuck(0).getReason().contains("a disk failed"));
        cluster.run();
        assertEquals(List.of(), cluster.asked, "nothing is tried again at once");
        cluster.pass(BlockWaits.PAUSE_MIN);
        cluster.run();
        Asked second = cluster.asked.remove(0);
        assertNotEquals(failed.server(), second.server());
        cluster.busy.addAll(List.of(2, 3, 4));
        cluster.busy.remove(failed.server());
        for (int i = 0; i < 120; i++) {
            cluster.run();
            cluster.pass(Duration.ofSeconds(1));
        }
        cluster.settle(5);
        assertEquals(Set.of(1, failed.server()), cluster.holders(file));
        assertTrue(cluster.disksEqualRecords(List.of(file)));
    }

    @Test
    void lastCopiesAreMadeAtOnceAndOthersAfterAWhile() {
        FileId last = cluster.file(2, 1, 2);
        FileId others = cluster.file(3, 1, 2, 3);
        cluster.states.put(1, State.DEAD);
        cluster.silent.add(1);
        cluster.settle(5);
        assertTrue(cluster.holders(last).size() == 3, "the last copy was not copied at once");
        assertEquals(Set.of(1, 2, 3), cluster.holders(others));
        cluster.settle(610);
        assertEquals(Set.of(2, 3, 4), cluster.holders(others));
        assertFalse(cluster.holders(last).contains(1));
        assertFalse(isQueued(others));
    }

    @Test
    void serverThatComesBackInTimeCostsNoCopies() {
        FileId file = cluster.file(3, 1, 2, 3);
        cluster.states.put(1, State.DEAD);
        cluster.settle(300);
        cluster.states.put(1, State.ACTIVE);
        cluster.settle(700);
        assertEquals(Set.of(1, 2, 3), cluster.holders(file));
        assertEquals(1, cluster.block(file).getNewestCopyNumber() + 1);
    }

    @Test
    void nothingIsCopiedWhileManyServersAreSilent() {
        FileId file = cluster.file(2, 1, 2);
        cluster.states.put(1, State.DEAD);
        cluster.states.put(3, State.STALE);
        cluster.look(file);
        cluster.settle(700);
        assertEquals(Set.of(1, 2), cluster.holders(file));
        assertEquals(List.of(), cluster.asked);
        assertTrue(cluster.status().getBrake().contains("2 of 4"), cluster.status()::getBrake);
        cluster.states.put(1, State.GONE);
        cluster.settle(5);
        assertTrue(cluster.holders(file).contains(4), "a forgotten server brakes");
        assertEquals("", cluster.status().getBrake());
    }

    @Test
    void releasedBrakeHoldsForTheServersThatAreSilentThen() {
        FileId file = cluster.file(2, 1, 2);
        cluster.states.put(1, State.DEAD);
        cluster.states.put(3, State.STALE);
        cluster.released.addAll(Set.of(1, 3));
        cluster.settle(5);
        assertTrue(cluster.holders(file).contains(4), "a released brake brakes");
        assertEquals("", cluster.status().getBrake());
        cluster.states.put(2, State.DEAD);
        cluster.states.put(4, State.DEAD);
        cluster.run();
        assertTrue(cluster.status().getBrake().contains("2 of 2"), cluster.status()::getBrake);
    }

    @Test
    void blocksOfAServerThatIsInAnotherRackThanBeforeAreSpreadAnew() {
        FileId spread = cluster.file(2, 1, 4);
        FileId crowded = cluster.file(2, 1, 2);
        cluster.moved.put(2, 1);
        cluster.settle(20);
        assertEquals(Set.of(1, 4), cluster.holders(spread));
        assertTrue(cluster.holders(crowded).contains(4), "all copies are in one rack");
        assertEquals(2, cluster.holders(crowded).size());
        cluster.loseLeader();
        cluster.asked.clear();
        cluster.settle(5);
        assertEquals(2, cluster.holders(crowded).size());
    }

    @Test
    void silentRackOfSeveralServersBrakesAndOneOfOneDoesNot() {
        CopiesCluster large = new CopiesCluster(9).withRacks(5);
        FileId file = large.file(2, 2, 3);
        large.states.put(2, State.DEAD);
        large.settle(5);
        assertEquals(3, large.holders(file).size(), "one silent server brakes");
        large.states.put(7, State.DEAD);
        large.run();
        assertNotEquals("", large.status().getBrake());
    }

    @Test
    void blocksMoveOffAServerThatDrains() {
        FileId file = cluster.file(2, 1, 2);
        cluster.states.put(2, State.DRAINING);
        cluster.settle(20);
        assertFalse(cluster.holders(file).contains(2));
        assertEquals(2, cluster.holders(file).size());
        assertTrue(cluster.disksEqualRecords(List.of(file)));
        assertNull(cluster.state()
                .replica(new ServerId(2), new BlockId(cluster.block(file).getBlockId())));
    }

    @ParameterizedTest
    @EnumSource(
            value = State.class,
            names = {"STALE", "DEAD"})
    void drainGoesOnWhileItsServerIsSilent(State state) {
        FileId file = cluster.file(2, 1, 2);
        cluster.emptied.add(2);
        cluster.states.put(2, state);
        cluster.silent.add(2);
        cluster.settle(20);
        assertEquals(
                2, cluster.holders(file).stream().filter(server -> server != 2).count());
    }

    @Test
    void blockWithOneGoodCopyBesideAServerThatIsAwayIsHealedFirst() {
        FileId file = cluster.file(3, 1, 2);
        cluster.states.put(2, State.MAINTENANCE);
        cluster.look(file);
        cluster.run();
        assertFalse(cluster.asked.get(0).item().getUrgent());
        cluster.asked.clear();
        FileId other = cluster.file(3, 1, 2);
        cluster.away.add(2);
        cluster.look(other);
        cluster.run();
        assertEquals(
                Urgency.LAST_COPY,
                cluster.state().needs().urgency(new BlockId(cluster.block(other).getBlockId())));
    }

    /** Servers make nothing of what they are asked for. */
    private void runWithoutCopies() {
        for (int i = 0; i < 5; i++) {
            cluster.run();
            cluster.asked.clear();
            cluster.pass(Duration.ofSeconds(1));
        }
    }

    @Test
    void serverThatWasGivenUpIsNotForgottenWhileItsBlocksAreOnlyQueued() {
        FileId file = cluster.file(3, 1, 2, 3);
        FileId unschedulable = cluster.file(4, 1, 2, 3, 4);
        cluster.states.put(3, State.DRAINING);
        runWithoutCopies();
        cluster.silent.add(3);
        cluster.states.put(3, State.GONE);
        assertFalse(cluster.mayBeForgotten(3), "by the passes of the drain");
        runWithoutCopies();
        assertTrue(cluster.holders(file).contains(3));
        assertFalse(cluster.mayBeForgotten(3), "its blocks are only queued");
        cluster.settle(100);
        assertEquals(Set.of(1, 2, 4), cluster.holders(file));
        assertTrue(cluster.holders(unschedulable).contains(3), "nothing helps this one");
        assertTrue(cluster.mayBeForgotten(3));
        cluster.loseLeader();
        assertFalse(cluster.mayBeForgotten(3), "by what another leader knew");
        cluster.settle(5);
        assertTrue(cluster.mayBeForgotten(3));
    }

    @Test
    void blocksThatWereInTheOnlyRackAreSpreadWhenThereIsAnother() {
        CopiesCluster one = new CopiesCluster(3).withRacks(1);
        FileId file = one.file(2, 1, 2);
        one.settle(5);
        one.join(4);
        one.moved.put(4, 7);
        one.settle(20);
        assertEquals(2, one.holders(file).size());
        assertTrue(one.holders(file).contains(4), "all copies are in one of two racks");
        FileId later = one.file(2, 1, 2);
        one.loseLeader();
        one.settle(20);
        assertEquals(Set.of(1, 2), one.holders(later), "all blocks were queued again by another leader");
    }

    @Test
    void blocksThatNothingHelpsHoldUpNoOthersAndAreHealedWhenAServerJoins() {
        List<FileId> asking = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            FileId file = cluster.file(10, 1, 2, 3, 4);
            cluster.look(file);
            asking.add(file);
        }
        cluster.settle(10);
        for (FileId file : asking) {
            assertEquals(
                    Urgency.UNSCHEDULABLE,
                    cluster.state()
                            .needs()
                            .urgency(new BlockId(cluster.block(file).getBlockId())));
        }
        assertEquals(0, cluster.state().needs().count());
        assertEquals(
                40,
                cluster.status().getWaitingList().stream()
                        .mapToLong(counts -> counts.getBeyondHosts())
                        .sum());
        assertTrue(cluster.status().getStuck(0).getReason().contains("no further server"));
        cluster.join(5);
        cluster.settle(30);
        asking.forEach(file -> assertEquals(Set.of(1, 2, 3, 4, 5), cluster.holders(file)));
        assertTrue(cluster.disksEqualRecords(asking));
    }

    @Test
    void unschedulableBlockIsLookedAtWhenItsFileAsksForOtherCopies() {
        FileId file = cluster.file(10, 1, 2, 3, 4);
        cluster.look(file);
        cluster.settle(5);
        cluster.change(state -> CopiesChange.apply(state, file, 2));
        cluster.settle(20);
        assertEquals(2, cluster.holders(file).size());
        assertFalse(isQueued(file));
    }

    @Test
    void copyIsNotGivenUpWithoutConfirmation() {
        FileId file = cluster.file(1, 1, 2);
        cluster.lacking.addAll(List.of(1, 2));
        cluster.look(file);
        cluster.settle(10);
        assertEquals(Set.of(1, 2), cluster.holders(file));
        assertTrue(cluster.confirmations > 0);
        cluster.lacking.clear();
        cluster.settle(70);
        assertEquals(1, cluster.holders(file).size());
    }

    @Test
    void nothingIsDecidedByAnOldMap() {
        FileId many = cluster.file(1, 1, 2);
        FileId few = cluster.file(2, 1);
        cluster.look(many);
        cluster.look(few);
        cluster.mapAgeMillis = 10_001;
        cluster.settle(5);
        assertEquals(Set.of(1, 2), cluster.holders(many));
        assertEquals(Set.of(1), cluster.holders(few));
        cluster.mapAgeMillis = 10_000;
        cluster.settle(5);
        assertEquals(1, cluster.holders(many).size());
        assertEquals(2, cluster.holders(few).size());
    }

    @Test
    void copiesInFlightAreLimited() {
        List<FileId> files = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            FileId file = cluster.file(3, 1, 2);
            cluster.look(file);
            files.add(file);
        }
        cluster.run();
        assertEquals(12, cluster.asked.size(), "a quarter of 16 is kept for last copies");
        FileId last = cluster.file(2, 3);
        cluster.look(last);
        cluster.settle(1);
        cluster.settle(60);
        files.add(last);
        files.forEach(file -> assertFalse(isQueued(file)));
        assertTrue(cluster.disksEqualRecords(files));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void randomFaultsLoseNothingAndLeakNothing(int seed) {
        Random random = new Random(seed);
        CopiesCluster large = new CopiesCluster(7).withRacks(3);
        List<FileId> files = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int first = 1 + random.nextInt(7);
            files.add(large.file(1 + random.nextInt(3), first, 1 + first % 7));
            large.look(files.get(i));
        }
        for (int step = 0; step < 300; step++) {
            disturb(large, random, files);
            large.run();
            deliverSome(large, random);
            if (random.nextInt(3) == 0) {
                large.reclaim();
            }
            large.pass(Duration.ofSeconds(1 + random.nextInt(40)));
            for (FileId file : files) {
                Set<Integer> good = new HashSet<>(large.onDisks(file));
                good.retainAll(large.holders(file));
                assertFalse(good.isEmpty(), () -> "no copy is left of " + file + " of seed " + seed);
            }
        }
        large.states.keySet().forEach(server -> large.states.put(server, State.ACTIVE));
        large.silent.clear();
        large.busy.clear();
        large.settle(400);
        for (FileId file : files) {
            int wanted = large.state().home(file) == null ? 0 : wanted(large, file);
            assertEquals(wanted, large.holders(file).size(), () -> large.block(file) + " of seed " + seed);
        }
        assertTrue(large.disksEqualRecords(files), () -> "disks and records differ with seed " + seed);
    }

    private static int wanted(CopiesCluster cluster, FileId file) {
        return Objects.requireNonNull(cluster.state().home(file)).getReplication();
    }

    private static void disturb(CopiesCluster cluster, Random random, List<FileId> files) {
        int server = 1 + random.nextInt(7);
        FileId file = files.get(random.nextInt(files.size()));
        switch (random.nextInt(12)) {
            case 0 -> {
                cluster.states.put(server, State.DEAD);
                cluster.silent.add(server);
            }
            case 1, 2 -> {
                cluster.states.put(server, State.ACTIVE);
                cluster.silent.remove(server);
            }
            case 3 -> cluster.loseLeader();
            case 4 -> cluster.change(state -> CopiesChange.apply(state, file, 1 + random.nextInt(4)));
            case 5 -> cluster.busy.add(server);
            case 6, 7 -> cluster.busy.remove(server);
            case 8 -> cluster.states.put(server, State.DRAINING);
            default -> {}
        }
    }

    /** What was asked is lost, made late, or reported twice. */
    private static void deliverSome(CopiesCluster cluster, Random random) {
        for (Asked asked : List.copyOf(cluster.asked)) {
            switch (random.nextInt(5)) {
                case 0 -> cluster.asked.remove(asked);
                case 1, 2 -> {
                    cluster.asked.remove(asked);
                    cluster.make(asked);
                }
                case 3 -> cluster.make(asked);
                default -> {}
            }
        }
    }
}
