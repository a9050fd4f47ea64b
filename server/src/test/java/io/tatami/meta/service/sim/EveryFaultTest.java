package io.tatami.meta.service.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import io.tatami.base.FileId;
import io.tatami.block.volume.SoakLog;
import io.tatami.meta.op.Operation;
import io.tatami.meta.service.sim.PlannedFaults.Fault;
import io.tatami.meta.state.Draft;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    /** The bugs that {@link TransactionSimulationTest} has no test of. */
    private static final String ANSWERS = "STOPPED_GROUP_ANSWERS";

    private static final String CLOSES = "OPENING_NOT_COMPARED";

    private static final String IN_ONE_BATCH = "created-in-one-batch-and-appended-to";

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

    /**
     * Two files are made in one batch, the second one without a block. With a leader that crashes once that is durable
     * its first lease goes, whichever step of the batch it was at, and the first client opens it.
     */
    @Test
    void aCrashInTheMidstOfABatchTakesEveryFirstLeaseOfIt() {
        Seen seen = new Seen(new HashMap<>(), new HashSet<>());
        FaultSearch search = new FaultSearch(Encounter.named(IN_ONE_BATCH), 0, seen, new TreeMap<>());
        List<Fault> faults = search.singles();
        assertEquals(seen.batches().get("x"), seen.batches().get("y"), "both are made in one batch");
        assertEquals(Set.of(), seen.opened(), "the first lease is held");
        faults.forEach(fault -> search.runFrom(fault, 1));
        assertEquals(Set.of("y"), seen.opened());
    }

    /**
     * No bug, it only looks.
     *
     * @param batches of a name that was made, the shard and the moment, of which a batch has one
     * @param opened names that were opened again
     */
    private record Seen(Map<String, String> batches, Set<String> opened) implements Plant {
        @Override
        public void after(Operation<?, ?, ?> operation, Draft records, Message request, Message reply) {
            if (reply instanceof CreateReply made) {
                Status status = made.getStatus();
                batches.put(
                        status.getName(),
                        new FileId(status.getId()).home() + " at "
                                + status.getAttributes().getModifiedMillis());
            } else if (reply instanceof AppendReply again) {
                opened.add(again.getStatus().getName());
            }
        }
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
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {ANSWERS, CLOSES})
    @Tag("planted")
    void aBugThatChanceFindsIsNoticed(Planted bug) {
        assertNoticed(bug, Encounter.ALL);
    }

    /** In the one encounter that shows it. */
    @ParameterizedTest
    @CsvSource({ANSWERS + ",renamed-out-of-a-widened-directory", CLOSES + ",closed-under-an-earlier-opening"})
    @Tag("simulated-bug")
    void aBugThatChanceDoesNotFindIsNoticed(Planted bug, String encounter) {
        assertNoticed(bug, List.of(Encounter.named(encounter)));
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
