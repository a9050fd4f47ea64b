package io.tatami.meta.service.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.block.volume.SoakLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Transactions between the namespace group and shards, under every fault at every step. A failure names its seed, from
 * which {@code -Dtatami.test.seed} begins; {@code -Dtatami.test.seeds} says how many it does.
 */
final class TransactionSimulationTest {
    private static final long FIRST = Long.getLong("tatami.test.seed", 1);
    private static final int SEEDS = Integer.getInteger("tatami.test.seeds", 150);
    private static final int SEEDS_SOAK = 100_000;
    private static final int SEEDS_OF_A_LINE = 2_000;
    private static final int PLANTED_SEEDS_MAX = 1_000;

    @Test
    void transactionsHoldWhateverCrashesAndGetsLost() {
        Map<String, Long> counts = new TreeMap<>();
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            long unused = run(seed, counts);
        }
        assertTrue(SEEDS == 1 || counts.getOrDefault("rename ok", 0L) > 0, counts.toString());
    }

    @Test
    void seedGivesTheSameAgain() {
        for (long seed = 1; seed <= 3; seed++) {
            assertEquals(run(seed, new TreeMap<>()), run(seed, new TreeMap<>()), "seed " + seed);
        }
    }

    /** Goes on where its log ends, see {@link SoakLog}; at the end everything must have come about. */
    @Test
    @Tag("soak")
    void transactionsHoldOver100000Seeds() throws Exception {
        SoakLog.run(
                "transactions.log",
                SEEDS_OF_A_LINE,
                SEEDS_SOAK,
                (seed, counts) -> {
                    long unused = run(seed, counts);
                },
                all -> assertEquals(List.of(), missing(all), "these never came about"));
    }

    private static List<String> missing(Map<String, Long> counts) {
        List<String> missing = new ArrayList<>(TransactionSimulation.REQUIRED);
        Crashes.STEPS.forEach(step -> missing.add("crashes at " + step));
        missing.removeAll(counts.keySet());
        return missing;
    }

    @Test
    @Tag("simulated-bug")
    void commitThatTrustsTheFirstCheckOfTheHandlesIsNoticed() {
        assertNoticed(Planted.COMMIT_TRUSTS_HANDLES);
    }

    @Test
    @Tag("simulated-bug")
    void finishThatIsTakenForDoneIsNoticed() {
        assertNoticed(Planted.FINISH_LOST);
    }

    @Test
    @Tag("simulated-bug")
    void prepareThatDoesNotMarkTheEntryIsNoticed() {
        assertNoticed(Planted.PREPARE_WITHOUT_MARK);
    }

    @Test
    @Tag("simulated-bug")
    void readerWhoAbortsAMoveIsNoticed() {
        assertNoticed(Planted.READER_ABORTS);
    }

    @Test
    @Tag("simulated-bug")
    void commitAfterAnAbortIsNoticed() {
        assertNoticed(Planted.COMMIT_AFTER_ABORT);
    }

    @Test
    @Tag("simulated-bug")
    void entryThatGoesBeforeTheCommitIsNoticed() {
        assertNoticed(Planted.GONE_BEFORE_COMMIT);
    }

    @Test
    @Tag("simulated-bug")
    void moveThatEndsBeforeItsSourceHasFinishedIsNoticed() {
        assertNoticed(Planted.ENDED_WITH_ITS_COMMIT);
    }

    @Test
    @Tag("simulated-bug")
    void nameThatIsFreedAfterItWasTakenAgainIsNoticed() {
        assertNoticed(Planted.FREED_WHATEVER_HAS_IT);
    }

    @Test
    @Tag("simulated-bug")
    void markerThatIsNeverClearedIsNoticed() {
        assertNoticed(Planted.MARKER_LEFT);
    }

    @Test
    @Tag("simulated-bug")
    void nameThatIsNotReservedIsNoticed() {
        assertNoticed(Planted.NAME_NOT_RESERVED);
    }

    @Test
    @Tag("simulated-bug")
    void announcementThatAShardForgetsIsNoticed() {
        assertNoticed(Planted.ANNOUNCEMENT_FORGOTTEN);
    }

    @Test
    @Tag("simulated-bug")
    void directoryTakenForEmptyIsNoticed() {
        assertNoticed(Planted.SHARES_UNREAD);
    }

    @Test
    @Tag("simulated-bug")
    void homeThatIsNotToldOfANewNameIsNoticed() {
        assertNoticed(Planted.HOME_NOT_TOLD);
    }

    @Test
    @Tag("simulated-bug")
    void giverThatDropsWhatHasNotArrivedIsNoticed() {
        assertNoticed(Planted.DROPPED_BEFORE_ARRIVAL);
    }

    @Test
    @Tag("simulated-bug")
    void receiverThatTakesTheFirstEntriesForAllIsNoticed() {
        assertNoticed(Planted.FIRST_TAKEN_FOR_ALL);
    }

    @Test
    @Tag("simulated-bug")
    void receiverThatForgetsWhatItFetchedAheadIsNoticed() {
        assertNoticed(Planted.FETCHED_TWICE);
    }

    @Test
    @Tag("simulated-bug")
    void firstLeaseThatIsOverlookedIsNoticed() {
        assertNoticed(Planted.FIRST_LEASE_OVERLOOKED);
    }

    private static long run(long seed, Map<String, Long> counts) {
        try {
            return new TransactionSimulation(seed, Plant.NONE, counts).run();
        } catch (RuntimeException e) {
            throw new AssertionError(
                    "seed " + seed + ": run it alone with -Dtatami.test.seed=" + seed + " -Dtatami.test.seeds=1", e);
        }
    }

    private static void assertNoticed(Plant plant) {
        for (long seed = 1; seed <= PLANTED_SEEDS_MAX; seed++) {
            try {
                long unused = new TransactionSimulation(seed, plant, new TreeMap<>()).run();
            } catch (IllegalStateException e) {
                System.out.println(plant + " noticed by seed " + seed + ": " + e.getMessage());
                return;
            }
        }
        throw new AssertionError("no seed noticed the bug that was planted");
    }
}
