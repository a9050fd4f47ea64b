package io.tatami.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ServerId;
import io.tatami.cluster.BlockPlacer.Candidate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
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
        List<ServerId> chosen = new ArrayList<>();
        Set<String> racks = new HashSet<>();
        while (chosen.size() < copies && !left.isEmpty()) {
            Candidate next = left.stream()
                    .filter(candidate -> chosen.isEmpty()
                            ? candidate.host().equalsIgnoreCase(host)
                            : !racks.contains(candidate.rack()))
                    .findFirst()
                    .orElse(left.get(0));
            left.remove(next);
            racks.add(next.rack());
            chosen.add(next.server());
        }
        return chosen;
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
}
