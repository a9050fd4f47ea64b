package io.tatami.benchmarks.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StreamMixTest {
    @Test
    void everyJvmHasItsPartOfBothSides() {
        assertEquals(List.of(1, 3, 5, 7, 9, 11, 13, 15), readers(mix(8, 8)));
        assertEquals(List.of(15), readers(mix(1, 15)));
        assertEquals(List.of(0, 1, 2), readers(mix(3, 0)));
        assertEquals(List.of(), readers(mix(0, 3)));
    }

    @Test
    void readersAreNumberedAmongThemselves() {
        StreamMix mix = mix(3, 5);
        List<Integer> readers = readers(mix);
        assertEquals(3, readers.size());
        assertEquals(List.of(0, 1, 2), readers.stream().map(mix::readersBelow).toList());
    }

    @Test
    void anOrderAndATallyComeAsTheyWereSent() {
        StreamMix mix = new StreamMix("/from", "/to", 4, 5, 16, 1L << 33, 10);
        assertEquals(mix, StreamMix.parse(mix.toString().split(" ", -1)));
        for (boolean isReader : new boolean[] {true, false}) {
            StreamTally tally = new StreamTally(isReader, 1L << 40, 10_000_000_001L, 7);
            assertEquals(tally, StreamTally.parse(tally.toString()));
            assertTrue(!tally.toString().contains(" "), tally::toString);
        }
    }

    private static List<Integer> readers(StreamMix mix) {
        return IntStream.range(0, mix.streams()).filter(mix::isReader).boxed().toList();
    }

    private static StreamMix mix(int readers, int writers) {
        return new StreamMix("/from", "/to", readers, writers, 16, 1 << 20, 10);
    }
}
