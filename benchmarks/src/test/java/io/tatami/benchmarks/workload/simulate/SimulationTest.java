package io.tatami.benchmarks.workload.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SimulationTest {
    private static final long BLOCK_BYTES = 256L << 20;
    private static final int NODES = 20;
    private static final int BLOCKS = 3_000;
    private static final Course COURSE = new Course(600, 2, 5, 1_000 * BLOCK_BYTES, 10, 240 * 3_600);

    @ParameterizedTest
    @EnumSource(Scenario.class)
    void everyBlockHasItsCopiesInTwoRacksOnServersThatServe(Scenario scenario) {
        Simulation simulation = simulation(scenario, 1);
        SimulationResult result = simulation.run();
        assertTrue(result.isSettled());
        assertEquals(0, result.curve().get(result.curve().size() - 1).blocks());
        BlockTable table = simulation.table();
        Fleet fleet = simulation.fleet();
        long[] bytes = new long[fleet.servers() + 1];
        int blocks = 0;
        for (int shard = 0; shard < table.shards(); shard++) {
            for (int block = 0; block < table.blocks(shard); block++) {
                int[] holders = table.holders(shard, block);
                assertEquals(3, Arrays.stream(holders).distinct().count());
                assertTrue(Arrays.stream(holders).allMatch(fleet::serves));
                assertTrue(Arrays.stream(holders).map(fleet::rackOf).distinct().count() > 1);
                Arrays.stream(holders).forEach(holder -> bytes[holder] += BLOCK_BYTES);
                blocks++;
            }
        }
        assertEquals(BLOCKS, blocks);
        for (int server = 1; server < bytes.length; server++) {
            assertEquals(bytes[server], fleet.usedBytes(server), "server " + server);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Scenario.class,
            names = {"NODE", "RACK", "SLOW", "DRAIN"})
    void asManyBytesAreMovedAsWereLost(Scenario scenario) {
        SimulationResult result = simulation(scenario, 1).run();
        assertTrue(result.toMakeBytes() > 0);
        assertEquals(result.toMakeBytes(), result.movedBytes());
        assertEquals(0, result.lostBlocks());
        assertTrue(result.healedSeconds() > 0);
        if (scenario == Scenario.DRAIN) {
            assertEquals(COURSE.drainedBytes(), result.toMakeBytes());
        }
    }

    @Test
    void serversThatJoinGetWhatOthersHaveTooMuch() {
        Simulation simulation = simulation(Scenario.JOIN, 1);
        SimulationResult result = simulation.run();
        assertTrue(result.usedAfter().maxToMean() < result.usedBefore().maxToMean());
        long joined =
                simulation.fleet().usedBytes(NODES + 1) + simulation.fleet().usedBytes(NODES + 2);
        assertEquals(result.movedBytes(), joined);
    }

    @Test
    void blocksWithOneGoodCopyAreSafeBeforeTheOthersAreLost() {
        SimulationResult result = simulation(Scenario.RACK, 1).run();
        assertTrue(result.lastCopyBlocks() > 0);
        assertTrue(result.lastCopySeconds() < COURSE.lostAfterSeconds());
        assertTrue(result.healedSeconds() > COURSE.lostAfterSeconds());
    }

    @Test
    void blocksWhoseOnlyCopyIsLostAreNotWaitedFor() {
        SimulationResult result = new Simulation(shape(1, 1), Scenario.NODE, COURSE, new PlannerMeter()).run();
        assertTrue(result.isSettled());
        assertTrue(result.lostBlocks() > 0);
        assertEquals(0, result.movedBytes());
    }

    @Test
    void endsWithTheTimeThatWasGiven() {
        Course brief = new Course(600, 2, 5, 1_000 * BLOCK_BYTES, 10, 5);
        SimulationResult result = new Simulation(shape(3, 1), Scenario.DRAIN, brief, new PlannerMeter()).run();
        assertFalse(result.isSettled());
        assertTrue(result.healedSeconds() < 0);
    }

    @ParameterizedTest
    @EnumSource(Scenario.class)
    void sameSeedGivesTheSameResult(Scenario scenario) {
        assertEquals(simulation(scenario, 7).run(), simulation(scenario, 7).run());
        assertNotEquals(simulation(scenario, 7).run(), simulation(scenario, 8).run());
    }

    private static Simulation simulation(Scenario scenario, long seed) {
        return new Simulation(shape(3, seed), scenario, COURSE, new PlannerMeter());
    }

    private static ClusterShape shape(int copies, long seed) {
        return new ClusterShape(
                NODES,
                5,
                4,
                BLOCKS,
                copies,
                BLOCK_BYTES,
                4,
                150_000_000,
                3_000_000_000L,
                100_000_000,
                60,
                256,
                4,
                seed);
    }
}
