package io.tatami.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ServerId;
import io.tatami.cluster.BlockPlacer.Candidate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class BlockPlacerTest {
    private static final List<Candidate> FOUR = List.of(
            new Candidate(new ServerId(1), "a", "/r1", 100),
            new Candidate(new ServerId(2), "b", "/r1", 100),
            new Candidate(new ServerId(3), "c", "/r2", 100),
            new Candidate(new ServerId(4), "d", "/r2", 100));

    @Test
    void writersHostComesFirstAndTheNextCopyIsInAnotherRack() {
        for (long seed = 0; seed < 100; seed++) {
            List<ServerId> servers = place(FOUR, "B", 2, seed);
            assertEquals(new ServerId(2), servers.get(0));
            assertTrue(servers.get(1).value() >= 3, servers.toString());
        }
    }

    @Test
    void thirdCopyIsInTheRackOfTheSecondOnAnotherHost() {
        for (long seed = 0; seed < 100; seed++) {
            List<ServerId> servers = place(FOUR, "a", 3, seed);
            assertEquals(new ServerId(1), servers.get(0));
            assertEquals(Set.of(new ServerId(3), new ServerId(4)), Set.copyOf(servers.subList(1, 3)));
        }
    }

    @Test
    void noHostGetsASecondCopyWhileHostsSuffice() {
        Random random = new Random(5);
        for (int round = 0; round < 2_000; round++) {
            List<Candidate> candidates = IntStream.rangeClosed(1, 2 + random.nextInt(12))
                    .mapToObj(id -> {
                        int host = random.nextInt(6);
                        return new Candidate(
                                new ServerId(id), "host-" + host, "/r" + host % 3, 1 + random.nextInt(1_000));
                    })
                    .toList();
            int copies = 1 + random.nextInt(6);
            List<ServerId> servers = place(candidates, "host-" + random.nextInt(7), copies, round);
            assertSpread(candidates, servers, copies);
        }
    }

    /** Different servers, as many hosts as there can be, and two racks where the hosts are in several. */
    private static void assertSpread(List<Candidate> candidates, List<ServerId> servers, int copies) {
        List<Candidate> chosen = candidates.stream()
                .filter(candidate -> servers.contains(candidate.server()))
                .toList();
        long hosts = candidates.stream().map(Candidate::host).distinct().count();
        long racks = candidates.stream().map(Candidate::rack).distinct().count();
        assertEquals(Math.min(copies, candidates.size()), new HashSet<>(servers).size());
        assertEquals(
                Math.min(copies, hosts),
                chosen.stream().map(Candidate::host).distinct().count(),
                servers.toString());
        assertTrue(
                chosen.stream().map(Candidate::rack).distinct().count() >= Math.min(2, Math.min(copies, racks)),
                servers.toString());
    }

    @Test
    void furtherCopiesGoToTheRacksWithTheFewest() {
        List<Candidate> twelve = IntStream.rangeClosed(1, 12)
                .mapToObj(id -> new Candidate(new ServerId(id), "host-" + id, "/r" + id % 4, 100))
                .toList();
        for (long seed = 0; seed < 100; seed++) {
            List<ServerId> servers = place(twelve, "", 8, seed);
            long most = IntStream.range(0, 4)
                    .mapToLong(rack -> servers.stream()
                            .filter(server -> server.value() % 4 == rack)
                            .count())
                    .max()
                    .orElseThrow();
            assertEquals(2, most, servers.toString());
        }
    }

    /** A copy beside others goes where the placement of a new block would have put it. */
    @Test
    void copiesBesideOthersAreSpreadAsThoseOfANewBlock() {
        Random random = new Random(6);
        for (int round = 0; round < 1_000; round++) {
            List<Candidate> candidates = candidates(4 + random.nextInt(20), random);
            List<ServerId> placed = place(candidates, "", 3, round);
            ServerId lost = placed.get(random.nextInt(placed.size()));
            List<Candidate> present = placed.stream()
                    .filter(server -> !server.equals(lost))
                    .map(server -> candidates.get(server.value() - 1))
                    .toList();
            List<Candidate> others = candidates.stream()
                    .filter(candidate -> !placed.contains(candidate.server()))
                    .toList();
            List<ServerId> after =
                    new ArrayList<>(present.stream().map(Candidate::server).toList());
            List<ServerId> again = new ArrayList<>(after);
            after.addAll(BlockPlacer.placeBeside(present, others, candidate -> true, server -> 0, "", 1, round));
            again.addAll(BlockPlacer.placeAgain(present, others, 1, round));
            List<Candidate> left = candidates.stream()
                    .filter(candidate -> !candidate.server().equals(lost))
                    .toList();
            assertSpread(left, after, 3);
            assertSpread(left, again, 3);
        }
    }

    @Test
    void copiesThatAreMadeAgainBesideTwoRacksAreSpreadOverAllRacks() {
        List<Candidate> forty = IntStream.rangeClosed(1, 40)
                .mapToObj(id -> new Candidate(new ServerId(id), "host-" + id, "/r" + id % 8, 100))
                .toList();
        List<Candidate> present = List.of(forty.get(0), forty.get(1));
        List<Candidate> others = forty.subList(2, forty.size());
        int[] byRack = new int[8];
        for (long seed = 0; seed < 3_800; seed++) {
            int server = BlockPlacer.placeAgain(present, others, 1, seed).get(0).value();
            byRack[server % 8]++;
        }
        for (int rack = 0; rack < 8; rack++) {
            int servers = rack == 1 || rack == 2 ? 4 : 5;
            assertEquals(100 * servers, byRack[rack], 100, "rack " + rack);
        }
    }

    @Test
    void copiesAreOnDifferentServersAndNeverMoreThanThereAre() {
        for (long seed = 0; seed < 100; seed++) {
            List<ServerId> servers = place(FOUR, "", 16, seed);
            assertEquals(4, new HashSet<>(servers).size());
        }
        assertEquals(List.of(), place(List.of(), "a", 3, 1));
    }

    @Test
    void sameInputGivesTheSameServersAndOthersGiveOthers() {
        assertEquals(place(FOUR, "", 3, 7), place(FOUR, "", 3, 7));
        assertNotEquals(
                1,
                LongStream.range(0, 50)
                        .mapToObj(seed -> place(FOUR, "", 1, seed))
                        .distinct()
                        .count());
    }

    @Test
    void serversFillInProportionToTheirRoom() {
        List<Candidate> uneven = List.of(
                new Candidate(new ServerId(1), "a", "/r", 3_000), new Candidate(new ServerId(2), "b", "/r", 1_000));
        long first = LongStream.range(0, 10_000)
                .filter(seed -> place(uneven, "", 1, seed).get(0).value() == 1)
                .count();
        assertEquals(7_500, first, 300);
    }

    @Test
    void serverWithTheFewestWritersForItsRoomComesFirst() {
        for (long seed = 0; seed < 100; seed++) {
            assertEquals(List.of(new ServerId(3)), place(FOUR, server -> server.value() == 3 ? 4 : 5, "", 1, seed));
        }
        List<Candidate> uneven = List.of(
                new Candidate(new ServerId(1), "a", "/r", 3_000), new Candidate(new ServerId(2), "b", "/r", 1_000));
        for (long seed = 0; seed < 100; seed++) {
            assertEquals(List.of(new ServerId(1)), place(uneven, server -> server.value() == 1 ? 4 : 3, "", 1, seed));
        }
    }

    @Test
    void writersHostAndTheRacksComeBeforeTheNumberOfWriters() {
        for (long seed = 0; seed < 100; seed++) {
            List<ServerId> servers =
                    place(FOUR, server -> server.value() == 4 ? 0 : 100 / server.value(), "a", 2, seed);
            assertEquals(List.of(new ServerId(1), new ServerId(4)), servers);
        }
    }

    @Test
    void serversWithEquallyManyWritersAreChosenByChance() {
        long first = LongStream.range(0, 1_000)
                .filter(seed -> place(FOUR, server -> 30, "", 1, seed).get(0).value() == 1)
                .count();
        assertEquals(250, first, 60);
    }

    @Test
    void eachCandidateIsAskedAtMostOnceAndOnlyUsableOnesAreChosen() {
        List<Candidate> many = candidates(1_000, new Random(1));
        for (int usableEvery : new int[] {1, 2, 100, 1_000}) {
            List<ServerId> asked = new ArrayList<>();
            List<ServerId> servers = BlockPlacer.place(
                    many,
                    candidate -> {
                        asked.add(candidate.server());
                        return candidate.server().value() % usableEvery == 0;
                    },
                    "host-3",
                    3,
                    7);
            assertEquals(Math.min(3, 1_000 / usableEvery), servers.size());
            assertTrue(servers.stream().allMatch(server -> server.value() % usableEvery == 0), servers.toString());
            assertEquals(asked.size(), new HashSet<>(asked).size());
        }
    }

    @Test
    void aCrowdOfUsableCandidatesIsAskedOnlyForTheCopies() {
        List<Candidate> asked = new ArrayList<>();
        BlockPlacer.place(candidates(3_000, new Random(2)), asked::add, "", 3, 1);
        assertEquals(3, asked.size());
    }

    @Test
    void choosesAsSortingByScoreWould() {
        Random random = new Random(3);
        for (int round = 0; round < 300; round++) {
            List<Candidate> candidates = candidates(1 + random.nextInt(40), random);
            Set<ServerId> unusable = new HashSet<>();
            candidates.stream()
                    .filter(candidate -> random.nextInt(3) == 0)
                    .forEach(candidate -> unusable.add(candidate.server()));
            String host = "host-" + random.nextInt(45);
            int copies = random.nextInt(5);
            long seed = random.nextLong();
            assertEquals(
                    sorted(candidates, unusable, host, copies, seed),
                    BlockPlacer.place(
                            candidates, candidate -> !unusable.contains(candidate.server()), host, copies, seed));
        }
    }

    /** The same choice by the order in which the placer, asked for all, names servers of one rack and no known host. */
    private static List<ServerId> sorted(
            List<Candidate> candidates, Set<ServerId> unusable, String host, int copies, long seed) {
        List<Candidate> flat = candidates.stream()
                .map(candidate -> new Candidate(candidate.server(), "", "/flat", candidate.freeBytes()))
                .toList();
        List<ServerId> order = place(flat, "", flat.size(), seed);
        List<Candidate> left = new ArrayList<>(candidates);
        left.removeIf(candidate -> unusable.contains(candidate.server()));
        left.sort(Comparator.comparingInt(candidate -> order.indexOf(candidate.server())));
        List<Candidate> chosen = new ArrayList<>();
        while (chosen.size() < copies && !left.isEmpty()) {
            Candidate next = left.stream()
                    .filter(candidate -> belongs(candidate, left, host, chosen))
                    .findFirst()
                    .orElse(left.get(0));
            left.remove(next);
            chosen.add(next);
        }
        return chosen.stream().map(Candidate::server).toList();
    }

    /** The rule in words of sets, for servers that are each on a host of its own. */
    private static boolean belongs(Candidate candidate, List<Candidate> left, String host, List<Candidate> chosen) {
        List<String> racks = chosen.stream().map(Candidate::rack).toList();
        if (racks.isEmpty()) {
            return candidate.host().equalsIgnoreCase(host);
        }
        if (racks.size() == 2 && !racks.get(0).equals(racks.get(1))) {
            return candidate.rack().equals(racks.get(1));
        }
        int fewest = left.stream()
                .mapToInt(other -> Collections.frequency(racks, other.rack()))
                .min()
                .orElseThrow();
        return Collections.frequency(racks, candidate.rack()) == fewest;
    }

    private static List<Candidate> candidates(int count, Random random) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(id -> new Candidate(
                        new ServerId(id), "host-" + id, "/r" + random.nextInt(5), 1 + random.nextInt(1_000)))
                .toList();
    }

    private static List<ServerId> place(List<Candidate> candidates, String clientHost, int copies, long seed) {
        return BlockPlacer.place(candidates, candidate -> true, clientHost, copies, seed);
    }

    private static List<ServerId> place(
            List<Candidate> candidates, ToIntFunction<ServerId> writers, String clientHost, int copies, long seed) {
        return BlockPlacer.place(candidates, candidate -> true, writers, clientHost, copies, seed);
    }
}
