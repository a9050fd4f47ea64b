package io.tatami.benchmarks.workload.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Never more harm than the promised copies survive, and the same harm for the same seed. */
class StrikeDrawTest {
    private static final int NODES = 4;

    private static List<Strike> strikes(long seed) {
        StrikeDraw draw = new StrikeDraw(seed, NODES);
        return IntStream.range(0, 500).mapToObj(i -> draw.next()).toList();
    }

    @Test
    void aSeedIsOneCourse() {
        assertEquals(strikes(1), strikes(1));
        assertNotEquals(strikes(1), strikes(2));
    }

    @Test
    void everyHarmIsDrawnAndTheFirstNodeKeepsItsLinks() {
        Set<Harm> seen = EnumSet.noneOf(Harm.class);
        for (Strike strike : strikes(3)) {
            seen.add(strike.harm());
            assertTrue(strike.nodes().stream().allMatch(node -> node >= 1 && node <= NODES), strike::toString);
            if (strike.harm() == Harm.CUT || strike.harm() == Harm.CUT_IN || strike.harm() == Harm.CUT_OUT) {
                assertNotEquals(1, strike.nodes().get(0));
            }
            assertEquals(strike.nodes().size(), new HashSet<>(strike.nodes()).size());
        }
        assertEquals(EnumSet.allOf(Harm.class), seen);
    }

    @Test
    void oneCopyOfThreeIsLeftAlone() {
        Strike kill = new Strike(Harm.KILL, List.of(1), 1);
        Strike pause = new Strike(Harm.PAUSE, List.of(2), 1);
        assertTrue(StrikeDraw.fits(pause, List.of(kill)));
        assertFalse(StrikeDraw.fits(new Strike(Harm.CUT, List.of(3), 1), List.of(kill, pause)));
        assertFalse(StrikeDraw.fits(new Strike(Harm.CUT_PAIR, List.of(3, 4), 1), List.of(kill)));
        assertFalse(StrikeDraw.fits(new Strike(Harm.SLOW_DISK, List.of(1), 1), List.of(kill)), "one harm to a node");
    }

    @Test
    void bytesAreDestroyedOnOneNodeUntilTheyAreCopied() {
        Strike wipe = new Strike(Harm.WIPED_DISK, List.of(1), 1);
        assertFalse(StrikeDraw.fits(new Strike(Harm.FAILED_DISK, List.of(2), 1), List.of(wipe)));
        assertTrue(StrikeDraw.fits(new Strike(Harm.KILL, List.of(2), 1), List.of(wipe)));
    }

    @Test
    void serversOfMetadataAndClientsEndBesideAnyHarm() {
        Strike kill = new Strike(Harm.KILL, List.of(1), 1);
        Strike pause = new Strike(Harm.PAUSE, List.of(2), 1);
        Strike metadata = new Strike(Harm.METADATA_KILL, List.of(1), 1);
        assertTrue(StrikeDraw.fits(metadata, List.of(kill, pause)));
        assertFalse(StrikeDraw.fits(metadata, List.of(metadata)));
        assertTrue(StrikeDraw.fits(new Strike(Harm.CLIENT_KILL, List.of(), 1), List.of(metadata, kill)));
    }
}
