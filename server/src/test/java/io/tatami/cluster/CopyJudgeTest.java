package io.tatami.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ServerId;
import io.tatami.cluster.CopyJudge.GiveUp;
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
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

final class CopyJudgeTest {
    private static final long CAPACITY = 1_000;

    /** Servers 1 to 4, two in each of two racks, each on a host of its own. */
    private static List<Server> four() {
        List<Server> servers = new ArrayList<>();
        for (int id = 1; id <= 4; id++) {
            servers.add(server(id, Standing.SERVES));
        }
        return servers;
    }

    private static Server server(int id, Standing standing) {
        return new Server(new ServerId(id), "host" + id, "/rack" + (id - 1) / 2, standing, CAPACITY, 10L * id);
    }

    private static List<Server> with(int id, Standing standing) {
        List<Server> servers = four();
        servers.set(id - 1, server(id, standing));
        return servers;
    }

    private static KnownCopy copy(int server) {
        return new KnownCopy(new ServerId(server), Kind.COUNTED, Problem.NONE);
    }

    private static KnownCopy copy(int server, Kind kind, Problem problem) {
        return new KnownCopy(new ServerId(server), kind, problem);
    }

    private static Verdict judge(List<Server> servers, int wanted, KnownCopy... copies) {
        return new CopyJudge(new ServersView(servers, false)).judge(wanted, List.of(copies), server -> false, 7);
    }

    private static Make make(Verdict verdict) {
        return assertInstanceOf(Make.class, verdict);
    }

    private static GiveUp giveUp(Verdict verdict) {
        return assertInstanceOf(GiveUp.class, verdict);
    }

    @Test
    void asManyGoodCopiesAsAreWantedInTwoRacksAreHealthy() {
        assertInstanceOf(Healthy.class, judge(four(), 2, copy(1), copy(3)));
        assertInstanceOf(Healthy.class, judge(four(), 1, copy(1)));
        assertInstanceOf(Healthy.class, judge(four(), 4, copy(1), copy(2), copy(3), copy(4)));
    }

    @Test
    void oneCopyOfSeveralIsUrgentAndIsReadFromWhereItIs() {
        Make make = make(judge(four(), 3, copy(1)));
        assertTrue(make.urgent());
        assertEquals(List.of(new ServerId(1)), make.sources());
        assertEquals(2, make.targets().size());
        assertTrue(make.targets().stream().anyMatch(target -> target.value() > 2), "all copies are in one rack");
        assertFalse(make(judge(four(), 3, copy(1), copy(3))).urgent());
    }

    @Test
    void twoCopiesOnOneHostAreMendedByOneMoreAndThenOneIsGivenUp() {
        List<Server> servers = four();
        servers.set(1, new Server(new ServerId(2), "host1", "/rack0", Standing.SERVES, CAPACITY, 20));
        Make make = make(judge(servers, 3, copy(1), copy(2), copy(3)));
        assertEquals(List.of(new ServerId(4)), make.targets());
        GiveUp giveUp = giveUp(judge(servers, 3, copy(1), copy(2), copy(3), copy(4)));
        assertTrue(giveUp.server().value() <= 2, "a copy on the crowded host goes");
        assertInstanceOf(Healthy.class, judge(servers, 3, copy(1), copy(3), copy(4)));
    }

    @Test
    void twoCopiesOnOneHostStayWhereNoOtherHostHasRoom() {
        List<Server> servers = four();
        servers.set(1, new Server(new ServerId(2), "host1", "/rack0", Standing.SERVES, CAPACITY, 20));
        servers.set(3, server(4, Standing.DRAINING));
        assertInstanceOf(Healthy.class, judge(servers, 3, copy(1), copy(2), copy(3)));
    }

    @Test
    void misplacedCopiesWaitForAServerThatTakesNoneAtTheMoment() {
        CopyJudge judge = new CopyJudge(new ServersView(four(), false));
        Verdict verdict = judge.judge(2, List.of(copy(1), copy(2)), server -> server.value() > 2, 7);
        assertInstanceOf(Wait.class, verdict);
    }

    @Test
    void fileThatAsksForOneCopyIsNeverUrgent() {
        Wait wait = assertInstanceOf(Wait.class, judge(with(1, Standing.LOST), 1, copy(1)));
        assertFalse(wait.urgent());
    }

    @Test
    void copiesThatAreBeingMadeAreNotMadeTwice() {
        KnownCopy intended = copy(3, Kind.INTENDED, Problem.NONE);
        assertInstanceOf(Wait.class, judge(four(), 2, copy(1), intended));
        assertEquals(1, make(judge(four(), 3, copy(1), intended)).targets().size());
        assertEquals(
                1,
                make(judge(with(3, Standing.LOST), 2, copy(1), intended))
                        .targets()
                        .size());
    }

    @Test
    void silentServerIsWaitedForUnlessItLeavesOneCopy() {
        assertInstanceOf(Wait.class, judge(with(4, Standing.SILENT), 3, copy(1), copy(3), copy(4)));
        assertTrue(make(judge(with(3, Standing.SILENT), 2, copy(1), copy(3))).urgent());
        assertEquals(
                1,
                make(judge(with(4, Standing.LOST), 3, copy(1), copy(3), copy(4)))
                        .targets()
                        .size());
    }

    @Test
    void serverInMaintenanceCountsWhileOneElsewhereIsGood() {
        assertInstanceOf(Healthy.class, judge(with(3, Standing.MAINTENANCE), 2, copy(1), copy(3)));
        List<Server> both = with(3, Standing.MAINTENANCE);
        both.set(0, server(1, Standing.MAINTENANCE));
        assertEquals(2, make(judge(both, 2, copy(1), copy(3))).targets().size());
    }

    @Test
    void drainingServerIsASourceAndGivesItsCopyUpAtTheEnd() {
        List<Server> servers = with(3, Standing.DRAINING);
        Make make = make(judge(servers, 2, copy(1), copy(3)));
        assertEquals(List.of(new ServerId(1), new ServerId(3)), make.sources());
        assertFalse(make.urgent());
        GiveUp giveUp = giveUp(judge(servers, 2, copy(1), copy(4), copy(3)));
        assertEquals(new ServerId(3), giveUp.server());
        assertEquals(List.of(new ServerId(1), new ServerId(4)), giveUp.others());
        assertEquals(2, giveUp.needed());
    }

    @Test
    void damagedMissingAndSpareCopiesGoOnlyWhenTheBlockHasAllItsCopies() {
        for (KnownCopy useless : List.of(
                copy(2, Kind.COUNTED, Problem.DAMAGED),
                copy(2, Kind.COUNTED, Problem.MISSING),
                copy(2, Kind.COUNTED, Problem.UNAVAILABLE),
                copy(2, Kind.SPARE, Problem.NONE))) {
            assertEquals(1, make(judge(four(), 2, copy(1), useless)).targets().size());
            assertEquals(
                    new ServerId(2),
                    giveUp(judge(four(), 2, copy(1), copy(3), useless)).server());
        }
    }

    @Test
    void whereNoHostIsLeftAUselessCopyMakesRoomForAGoodOne() {
        List<Server> two = four().subList(0, 2);
        GiveUp giveUp = giveUp(judge(two, 2, copy(1), copy(2, Kind.SPARE, Problem.NONE)));
        assertEquals(new ServerId(2), giveUp.server());
        assertEquals(1, giveUp.needed());
        assertInstanceOf(
                Wait.class, judge(with(2, Standing.LOST).subList(0, 2), 2, copy(1), copy(2, Kind.SPARE, Problem.NONE)));
    }

    @Test
    void blockWhoseOnlyPlaceIsRefusedForNowIsLookedAtAgainBeforeServersChange() {
        KnownCopy spare = copy(2, Kind.SPARE, Problem.NONE);
        ServersView two = new ServersView(four().subList(0, 2), false);
        Predicate<ServerId> second = server -> server.value() == 2;
        for (List<KnownCopy> copies : List.of(List.of(copy(1), spare), List.of(copy(1)))) {
            Wait wait = assertInstanceOf(Wait.class, new CopyJudge(two).judge(2, copies, second, 7));
            assertFalse(wait.untilServersChange(), "the refusal passes: " + copies);
        }
        ServersView one = new ServersView(four().subList(0, 1), false);
        Wait wait = assertInstanceOf(Wait.class, new CopyJudge(one).judge(2, List.of(copy(1), spare), second, 7));
        assertTrue(wait.untilServersChange());
    }

    @Test
    void lostCopyBesideTwoRacksIsMadeInAnyRack() {
        List<Server> twelve = new ArrayList<>();
        for (int id = 1; id <= 12; id++) {
            twelve.add(server(id, Standing.SERVES));
        }
        CopyJudge judge = new CopyJudge(new ServersView(twelve, false));
        Set<Integer> targets = new HashSet<>();
        for (long seed = 0; seed < 200; seed++) {
            Make make = assertInstanceOf(Make.class, judge.judge(3, List.of(copy(1), copy(3)), server -> false, seed));
            targets.add(make.targets().get(0).value());
        }
        assertEquals(Set.of(2, 4, 5, 6, 7, 8, 9, 10, 11, 12), targets);
    }

    @Test
    void copiesInOneRackAreSpreadAndThenOneOfThemGoes() {
        Make make = make(judge(four(), 2, copy(1), copy(2)));
        assertTrue(make.targets().get(0).value() > 2);
        assertFalse(make.urgent());
        GiveUp giveUp = giveUp(judge(four(), 2, copy(1), copy(2), copy(3)));
        assertTrue(giveUp.server().value() <= 2, "the only copy of its rack was given up");
    }

    @Test
    void twoCopiesOnOneHostAreTheFirstToGoAndNoneIsPutBesideAnother() {
        List<Server> servers = four();
        servers.set(1, new Server(new ServerId(2), "host1", "/rack0", Standing.SERVES, CAPACITY, 0));
        assertTrue(giveUp(judge(servers, 2, copy(1), copy(2), copy(3))).server().value() <= 2);
        assertFalse(make(judge(servers, 4, copy(1))).targets().contains(new ServerId(2)));
    }

    @Test
    void brakeStopsCopyingAndNotTheRest() {
        CopyJudge braked = new CopyJudge(new ServersView(four(), true));
        assertInstanceOf(Wait.class, braked.judge(2, List.of(copy(1)), server -> false, 7));
        assertInstanceOf(GiveUp.class, braked.judge(1, List.of(copy(1), copy(3)), server -> false, 7));
    }

    @Test
    void fullAndRefusedServersGetNoCopies() {
        List<Server> servers = four();
        servers.set(2, new Server(new ServerId(3), "host3", "/rack1", Standing.SERVES, CAPACITY, CAPACITY));
        Verdict verdict = new CopyJudge(new ServersView(servers, false))
                .judge(2, List.of(copy(1)), server -> server.value() == 4, 7);
        assertEquals(List.of(new ServerId(2)), make(verdict).targets());
    }

    /** Verdicts are carried out, servers fall silent, are lost and come back; the good copies never become fewer. */
    @Test
    void everyBlockBecomesHealthyOrSaysWhyNot() {
        for (long seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            List<Server> servers = new ArrayList<>();
            int count = 1 + random.nextInt(7);
            for (int id = 1; id <= count; id++) {
                Standing standing =
                        Standing.values()[random.nextInt(3) == 0 ? random.nextInt(Standing.values().length) : 0];
                String host = "host" + (random.nextInt(4) == 0 ? 1 : id);
                servers.add(new Server(
                        new ServerId(id), host, "/rack" + random.nextInt(3), standing, CAPACITY, random.nextInt(800)));
            }
            List<KnownCopy> copies = new ArrayList<>();
            for (int id = 1; id <= count; id++) {
                if (random.nextBoolean()) {
                    Kind kind = random.nextInt(5) == 0 ? Kind.SPARE : Kind.COUNTED;
                    Problem problem = Problem.values()[random.nextInt(5) == 0 ? random.nextInt(4) : 0];
                    copies.add(copy(id, kind, problem));
                }
            }
            settle(new ServersView(servers, false), 1 + random.nextInt(4), copies, seed);
        }
    }

    private static void settle(ServersView view, int wanted, List<KnownCopy> copies, long seed) {
        CopyJudge judge = new CopyJudge(view);
        for (int step = 0; step < 100; step++) {
            long goodBefore = good(view, copies);
            Verdict verdict = judge.judge(wanted, List.copyOf(copies), server -> false, seed);
            if (verdict instanceof Healthy) {
                assertTrue(goodBefore + resting(view, copies) >= wanted, () -> "seed " + seed + ": " + copies);
                return;
            }
            if (verdict instanceof Wait wait) {
                assertFalse(wait.reason().isEmpty());
                return;
            }
            if (verdict instanceof Make make) {
                Set<ServerId> known = new HashSet<>();
                copies.forEach(copy -> known.add(copy.server()));
                for (ServerId target : make.targets()) {
                    assertTrue(known.add(target), () -> "seed " + seed + ": two copies on " + target);
                    copies.add(new KnownCopy(target, Kind.COUNTED, Problem.NONE));
                }
            } else if (verdict instanceof GiveUp giveUp) {
                assertTrue(giveUp.others().size() >= giveUp.needed(), () -> "seed " + seed + ": " + giveUp);
                assertTrue(giveUp.needed() >= 1);
                copies.removeIf(copy -> copy.server().equals(giveUp.server()));
                assertTrue(
                        good(view, copies) >= Math.min(wanted, goodBefore),
                        () -> "seed " + seed + ": a good copy was given up: " + giveUp);
            }
        }
        throw new AssertionError("seed " + seed + " does not settle: " + copies);
    }

    private static long good(ServersView view, List<KnownCopy> copies) {
        return count(view, copies, Standing.SERVES);
    }

    private static long resting(ServersView view, List<KnownCopy> copies) {
        return count(view, copies, Standing.MAINTENANCE) + count(view, copies, Standing.AWAY);
    }

    private static long count(ServersView view, List<KnownCopy> copies, Standing standing) {
        return copies.stream()
                .filter(copy -> copy.kind() == Kind.COUNTED && copy.problem() == Problem.NONE)
                .filter(copy -> view.standing(copy.server()) == standing)
                .count();
    }
}
