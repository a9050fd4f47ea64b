package io.tatami.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ServerId;
import io.tatami.cluster.BlockPlacer.Candidate;
import java.util.HashSet;
import java.util.List;
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
            List<ServerId> servers = BlockPlacer.place(FOUR, "B", 2, seed);
            assertEquals(new ServerId(2), servers.get(0));
            assertTrue(servers.get(1).value() >= 3, servers.toString());
        }
    }

    @Test
    void copiesAreOnDifferentServersAndNeverMoreThanThereAre() {
        for (long seed = 0; seed < 100; seed++) {
            List<ServerId> servers = BlockPlacer.place(FOUR, "", 16, seed);
            assertEquals(4, new HashSet<>(servers).size());
        }
        assertEquals(List.of(), BlockPlacer.place(List.of(), "a", 3, 1));
    }

    @Test
    void sameInputGivesTheSameServersAndOthersGiveOthers() {
        assertEquals(BlockPlacer.place(FOUR, "", 3, 7), BlockPlacer.place(FOUR, "", 3, 7));
        assertNotEquals(
                1,
                LongStream.range(0, 50)
                        .mapToObj(seed -> BlockPlacer.place(FOUR, "", 1, seed))
                        .distinct()
                        .count());
    }

    @Test
    void serversFillInProportionToTheirRoom() {
        List<Candidate> uneven = List.of(
                new Candidate(new ServerId(1), "a", "/r", 3_000), new Candidate(new ServerId(2), "b", "/r", 1_000));
        long first = LongStream.range(0, 10_000)
                .filter(seed -> BlockPlacer.place(uneven, "", 1, seed).get(0).value() == 1)
                .count();
        assertEquals(7_500, first, 300);
    }
}
