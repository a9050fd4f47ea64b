package io.tatami.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ServerId;
import io.tatami.cluster.BlockHealth.State;
import io.tatami.cluster.CopyJudge.Healthy;
import io.tatami.cluster.CopyJudge.Kind;
import io.tatami.cluster.CopyJudge.KnownCopy;
import io.tatami.cluster.CopyJudge.Make;
import io.tatami.cluster.CopyJudge.Problem;
import io.tatami.cluster.CopyJudge.Verdict;
import io.tatami.cluster.CopyJudge.Wait;
import io.tatami.cluster.ServersView.Server;
import io.tatami.cluster.ServersView.Standing;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class BlockHealthTest {
    private static final long CAPACITY = 1_000;

    private final List<Server> servers = new ArrayList<>();
    private boolean braked;

    /** Four servers on hosts of their own, two in each of two racks. */
    BlockHealthTest() {
        for (int id = 1; id <= 4; id++) {
            servers.add(server(id, Standing.SERVES));
        }
    }

    private static Server server(int id, Standing standing) {
        return new Server(new ServerId(id), "host" + id, "/rack" + (id - 1) / 2, standing, CAPACITY, 10L * id);
    }

    private void stand(int id, Standing standing) {
        servers.set(id - 1, server(id, standing));
    }

    private static KnownCopy copy(int server) {
        return copy(server, Kind.COUNTED, Problem.NONE);
    }

    private static KnownCopy copy(int server, Kind kind, Problem problem) {
        return new KnownCopy(new ServerId(server), kind, problem);
    }

    private BlockHealth health(int wanted, KnownCopy... copies) {
        return new CopyJudge(new ServersView(servers, braked)).health(wanted, List.of(copies));
    }

    private void assertState(State state, int wanted, KnownCopy... copies) {
        assertEquals(state, health(wanted, copies).state());
    }

    @Test
    void copyOnAServerInMaintenanceThatIsAwayCannotBeRead() {
        stand(3, Standing.AWAY);
        assertState(State.UNKNOWN, 2, copy(3));
        assertState(State.HEALTHY, 2, copy(1), copy(3));
        assertTrue(health(2, copy(1), copy(3)).lastCopy());
        stand(3, Standing.MAINTENANCE);
        assertFalse(health(2, copy(1), copy(3)).lastCopy());
    }

    @Test
    void serverThatIsToBeEmptiedIsNoHostForCopiesHoweverItStands() {
        for (Standing standing : List.of(Standing.DRAINING, Standing.SILENT, Standing.LOST)) {
            servers.set(2, new Server(new ServerId(3), "host3", "/rack1", standing, CAPACITY, 30, true));
            BlockHealth health = health(4, copy(1), copy(2), copy(3), copy(4));
            assertEquals(State.HEALTHY, health.state());
            assertEquals(3, health.good());
            assertEquals(1, health.beyondHosts());
        }
    }

    @Test
    void blocksAreCountedByTheirGoodCopies() {
        assertState(State.HEALTHY, 2, copy(1), copy(3));
        assertState(State.HEALTHY, 1, copy(1));
        assertState(State.UNDER_REPLICATED, 3, copy(1), copy(3));
        assertState(State.OVER_REPLICATED, 1, copy(1), copy(3));
        assertEquals(1, health(3, copy(1), copy(3)).lacking());
        assertEquals(1, health(1, copy(1), copy(3)).surplus());
    }

    @Test
    void copiesInOneRackAreMisreplicatedOnlyWhereAnotherRackCanTakeOne() {
        assertState(State.MISREPLICATED, 2, copy(1), copy(2));
        braked = true;
        assertState(State.MISREPLICATED, 2, copy(1), copy(2));
        stand(3, Standing.SILENT);
        stand(4, Standing.SILENT);
        assertState(State.HEALTHY, 2, copy(1), copy(2));
    }

    @Test
    void copiesBeyondTheHostsAreApart() {
        BlockHealth asked10 = health(10, copy(1), copy(2), copy(3), copy(4));
        assertEquals(State.HEALTHY, asked10.state());
        assertEquals(6, asked10.beyondHosts());
        assertEquals(0, asked10.lacking());
        BlockHealth lacks = health(10, copy(1), copy(2), copy(3));
        assertEquals(State.UNDER_REPLICATED, lacks.state());
        assertEquals(1, lacks.lacking());
        assertEquals(6, lacks.beyondHosts());
    }

    @Test
    void silentServersHostCountsUntilItIsGivenUp() {
        stand(4, Standing.LOST);
        assertEquals(1, health(4, copy(1), copy(2), copy(3)).lacking());
        servers.remove(3);
        BlockHealth given = health(4, copy(1), copy(2), copy(3));
        assertEquals(0, given.lacking());
        assertEquals(1, given.beyondHosts());
    }

    @Test
    void badAndSpareCopiesDoNotCount() {
        for (Problem problem : EnumSet.of(Problem.DAMAGED, Problem.MISSING, Problem.UNAVAILABLE)) {
            BlockHealth health = health(2, copy(1), copy(3, Kind.COUNTED, problem));
            assertEquals(State.UNDER_REPLICATED, health.state());
            assertEquals(problem == Problem.DAMAGED ? 1 : 0, health.damaged());
            assertTrue(health.lastCopy());
        }
        BlockHealth health =
                health(2, copy(1), copy(3, Kind.SPARE, Problem.NONE), copy(4, Kind.INTENDED, Problem.NONE));
        assertEquals(State.UNDER_REPLICATED, health.state());
        assertEquals(1, health.spares());
        assertEquals(1, health.intended());
    }

    @Test
    void oneGoodCopyOfAFileThatAsksForOneIsNotTheLastOfSeveral() {
        assertFalse(health(1, copy(1)).lastCopy());
        assertTrue(health(2, copy(1)).lastCopy());
        stand(3, Standing.MAINTENANCE);
        assertFalse(health(2, copy(1), copy(3)).lastCopy());
    }

    @Test
    void drainingCopyCanBeReadAndDoesNotCount() {
        stand(3, Standing.DRAINING);
        assertState(State.UNDER_REPLICATED, 1, copy(3));
        assertState(State.UNDER_REPLICATED, 2, copy(1), copy(3));
        BlockHealth beyond = health(4, copy(1), copy(2), copy(4));
        assertEquals(0, beyond.lacking());
        assertEquals(1, beyond.beyondHosts());
    }

    @Test
    void copyInMaintenanceCountsBesideAGoodOne() {
        stand(3, Standing.MAINTENANCE);
        assertState(State.HEALTHY, 2, copy(1), copy(3));
        assertState(State.UNDER_REPLICATED, 1, copy(3));
    }

    @Test
    void unreadableBlockIsUnknownWhileASilentServerMayHaveIt() {
        stand(1, Standing.SILENT);
        assertState(State.UNKNOWN, 2, copy(1), copy(3, Kind.COUNTED, Problem.DAMAGED));
        assertState(State.UNKNOWN, 2, copy(1, Kind.SPARE, Problem.NONE));
        assertState(State.MISSING, 2, copy(1, Kind.INTENDED, Problem.NONE));
        assertState(State.DAMAGED, 2, copy(1, Kind.COUNTED, Problem.DAMAGED));
    }

    @Test
    void unreadableBlockOfALostServerIsMissingUnlessCopyingIsBraked() {
        stand(1, Standing.LOST);
        assertState(State.MISSING, 2, copy(1));
        braked = true;
        assertState(State.UNKNOWN, 2, copy(1));
        servers.remove(0);
        assertState(State.MISSING, 2, copy(1));
    }

    @Test
    void unreadableBlockIsDamagedOnlyWhereADamagedCopyIsLeft() {
        assertState(State.DAMAGED, 1, copy(1, Kind.COUNTED, Problem.DAMAGED));
        assertState(State.MISSING, 1, copy(1, Kind.COUNTED, Problem.MISSING));
        assertState(State.UNKNOWN, 1, copy(1, Kind.COUNTED, Problem.UNAVAILABLE));
        assertState(State.MISSING, 1);
        stand(1, Standing.LOST);
        assertState(State.MISSING, 1, copy(1, Kind.COUNTED, Problem.DAMAGED));
        assertState(State.MISSING, 1, copy(1, Kind.COUNTED, Problem.UNAVAILABLE));
    }

    /** What is told of a block and what is done for it are of one mind. */
    @Test
    void healthAgreesWithTheVerdict() {
        for (long seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            servers.clear();
            int count = 1 + random.nextInt(6);
            for (int id = 1; id <= count; id++) {
                Standing standing =
                        Standing.values()[random.nextInt(3) == 0 ? random.nextInt(Standing.values().length) : 0];
                servers.add(
                        new Server(new ServerId(id), "host" + id, "/rack" + random.nextInt(3), standing, CAPACITY, 0));
            }
            List<KnownCopy> copies = new ArrayList<>();
            for (int id = 1; id <= count; id++) {
                if (random.nextBoolean()) {
                    Kind kind = random.nextInt(5) == 0 ? Kind.SPARE : Kind.COUNTED;
                    copies.add(copy(id, kind, Problem.values()[random.nextInt(5) == 0 ? random.nextInt(4) : 0]));
                }
            }
            int wanted = 1 + random.nextInt(4);
            CopyJudge judge = new CopyJudge(new ServersView(servers, false));
            Verdict verdict = judge.judge(wanted, copies, server -> false, seed);
            String context = "seed " + seed + ": " + wanted + " of " + copies + " on " + servers + ": " + verdict;
            assertAgree(judge.health(wanted, copies), verdict, context);
        }
    }

    private static void assertAgree(BlockHealth health, Verdict verdict, String context) {
        if (verdict instanceof Healthy) {
            assertEquals(State.HEALTHY, health.state(), context);
        }
        if (verdict instanceof Make) {
            Set<State> mended = EnumSet.of(State.UNDER_REPLICATED, State.MISREPLICATED, State.OVER_REPLICATED);
            assertTrue(mended.contains(health.state()), context);
        }
        if (health.isUnreadable()) {
            assertTrue(verdict instanceof Wait, context);
        }
        if (health.state() == State.UNDER_REPLICATED) {
            assertFalse(verdict instanceof Healthy, context);
        }
        if (health.state() == State.MISREPLICATED) {
            assertTrue(verdict instanceof Make, context);
        }
    }
}
