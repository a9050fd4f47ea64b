package io.tatami.meta.service.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.block.volume.SoakLog;
import io.tatami.meta.service.sim.PlannedFaults.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Transactions that meet hold whatever goes wrong: every message lost, doubled, late or overtaken, every group crashed
 * at every step, every log failed at every write, one fault at a time, and as a soak every two. A failure names its
 * run; {@code -Dtatami.test.encounter} does that one alone.
 */
final class EveryFaultTest {
    /** When the second client begins: at once, and in the midst of what the first one does. */
    private static final long[] LATER_MILLIS = {0, 3, 6, 9, 13};

    private static final long LATER_MILLIS_IN_VERIFY = 3;
    private static final int FIRST_FAULTS_OF_A_LINE = 200;

    /** The bug that {@link TransactionSimulationTest} has no test of. */
    private static final String NOT_FOUND_BY_CHANCE = "STOPPED_GROUP_ANSWERS";

    @Test
    void everyFaultIsSurvived() {
        Map<String, Long> counts = new TreeMap<>();
        String named = System.getProperty("tatami.test.encounter", "");
        if (!named.isEmpty()) {
            FaultSearch.runNamed(named, counts);
            return;
        }
        for (Encounter encounter : Encounter.ALL) {
            FaultSearch search = new FaultSearch(encounter, LATER_MILLIS_IN_VERIFY, Plant.NONE, counts);
            search.singles().forEach(fault -> search.runFrom(fault, 1));
        }
        System.out.println(counts);
        assertTrue(counts.getOrDefault("runs", 0L) > 100L * Encounter.ALL.size(), counts::toString);
    }

    /** Goes on where its log ends, see {@link SoakLog}; a seed is a first fault with all that may follow it. */
    @Test
    @Tag("soak")
    void everyTwoFaultsAreSurvived() throws Exception {
        List<Runnable> searches = new ArrayList<>();
        Map<String, Long> counted = new TreeMap<>();
        for (Encounter encounter : Encounter.ALL) {
            for (long later : LATER_MILLIS) {
                FaultSearch search = new FaultSearch(encounter, later, Plant.NONE, counted);
                search.singles().forEach(fault -> searches.add(() -> search.runFrom(fault, 2)));
            }
        }
        SoakLog.run("every-two-faults.log", FIRST_FAULTS_OF_A_LINE, searches.size(), (seed, counts) -> {
            counted.clear();
            searches.get((int) seed - 1).run();
            counted.forEach((what, count) -> counts.merge(what, count, Long::sum));
        });
    }

    /**
     * {@link TransactionSimulationTest} notices them in every {@code verify}; here they are run with the planted bugs.
     */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = NOT_FOUND_BY_CHANCE)
    @Tag("planted")
    void aBugThatChanceFindsIsNoticed(Planted bug) {
        assertNoticed(bug, Encounter.ALL);
    }

    /** In the one encounter that shows it. */
    @Test
    @Tag("simulated-bug")
    void aBugThatChanceDoesNotFindIsNoticed() {
        assertNoticed(
                Planted.valueOf(NOT_FOUND_BY_CHANCE), List.of(Encounter.named("renamed-out-of-a-widened-directory")));
    }

    private static void assertNoticed(Planted bug, List<Encounter> encounters) {
        for (Encounter encounter : encounters) {
            FaultSearch search = new FaultSearch(encounter, LATER_MILLIS_IN_VERIFY, bug, new TreeMap<>());
            try {
                for (Fault fault : search.singles()) {
                    search.runFrom(fault, 1);
                }
            } catch (IllegalStateException e) {
                System.out.println(bug + " noticed: " + e.getMessage());
                return;
            }
        }
        throw new AssertionError("no single fault shows the bug that was planted");
    }
}
