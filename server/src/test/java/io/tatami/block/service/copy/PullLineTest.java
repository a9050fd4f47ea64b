package io.tatami.block.service.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.service.BlockRig;
import io.tatami.block.volume.SimVolume;
import io.tatami.protocol.wire.PullBlocksRequest;
import io.tatami.protocol.wire.WriteTarget;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which copies may be made on a volume at once, and in which order. */
final class PullLineTest {
    private static final int LONG = (1 << 20) + 1;
    private static final int SHORT = 64 << 10;

    private final PullLine line = new PullLine(2, 3, 2, 8);

    @Test
    void noMoreRunThanMayAndUrgentOnesHaveAsManyPlacesAgain() throws Exception {
        Pull first = added(1, false);
        added(2, false);
        added(3, false);

        assertSame(first, line.next());
        assertEquals(2, line.next() == null ? 1 : line.running());
        assertNull(line.next());

        Pull urgent = added(4, true);
        added(5, true);
        added(6, true);
        assertSame(urgent, line.next());
        assertEquals(4, line.next() == null ? 3 : line.running());
        assertNull(line.next());
        line.ended(first);
        Pull next = line.next();
        assertTrue(next != null && next.urgent(), "an urgent one comes first");
        assertNull(line.next());
    }

    @Test
    void whatWaitsIsLimitedForEachKind() throws Exception {
        for (int number = 1; number <= 3; number++) {
            added(number, false);
        }
        assertFalse(line.hasRoomFor(pull(4, LONG, 1, false)));
        assertTrue(line.hasRoomFor(pull(4, LONG, 1, true)));
        assertEquals(3L * LONG, line.queuedBytes());
        assertEquals(3, line.removeAll().size());
        assertEquals(0, line.queued());
        assertNull(line.next());
    }

    @Test
    void filledCopyHasNoPlaceAmongThoseThatRun() throws Exception {
        try (SimVolume disk = new SimVolume(8L << 20, 7)) {
            added(1, false);
            added(2, false);
            Pull third = added(3, false);
            fillNext(disk);
            assertTrue(line.next() != null);

            assertSame(third, line.next());
            assertEquals(3, line.running());
        }
    }

    @Test
    void noneIsBegunWhileAsManyAsABatchHoldsWaitForAFlush() throws Exception {
        try (SimVolume disk = new SimVolume(8L << 20, 7)) {
            added(1, false);
            added(2, false);
            added(3, false);
            fillNext(disk);
            fillNext(disk);
            assertNull(line.next());
            Pull urgent = added(4, true);
            assertSame(urgent, line.next(), "others do not hold it up");

            assertTrue(line.filled().begin());
            assertNull(line.next(), "the batch is not closed");
            assertEquals(2, line.filled().close().size());
            assertTrue(line.next() != null);
        }
    }

    private void fillNext(SimVolume disk) throws TatamiException {
        Pull pull = Objects.requireNonNull(line.next());
        line.filled(new FilledCopy(pull, disk.volume().create(pull.block(), Generation.FIRST, 4_096, false)));
    }

    private static PullLine tenInOnePlace(int bytes, IntUnaryOperator source) throws TatamiException {
        PullLine one = new PullLine(1, 100, 100, 8);
        for (int number = 1; number <= 10; number++) {
            one.add(pull(number, bytes, source.applyAsInt(number), false));
        }
        return one;
    }

    @Test
    void shortBlocksShareAPlace() throws Exception {
        PullLine one = tenInOnePlace(SHORT, number -> number % 2 + 1);

        List<Pull> begun = beginAll(one);

        assertEquals(8, begun.size());
        one.ended(begun.get(0));
        assertEquals(1, beginAll(one).size());
    }

    @Test
    void shortBlocksInAPlaceHaveAUnitTogether() throws Exception {
        PullLine one = tenInOnePlace(1 << 20, number -> number % 2 + 1);

        assertEquals(4, beginAll(one).size());
    }

    @Test
    void shortBlocksOfASourceTakeHalfOfThePlacesAndThoseOfOthersAreBegun() throws Exception {
        PullLine one = tenInOnePlace(SHORT, number -> 1);
        List<Pull> silent = beginAll(one);
        assertEquals(4, silent.size());

        for (int number = 11; number <= 20; number++) {
            Pull other = pull(number, SHORT, 2, false);
            one.add(other);
            assertSame(other, one.next());
            one.ended(other);
        }
        one.ended(silent.get(0));
        assertEquals(1, beginAll(one).size());
    }

    @Test
    void sourcesTakeTurns() throws Exception {
        PullLine one = new PullLine(1, 100, 100, 8);
        for (int number = 1; number <= 6; number++) {
            one.add(pull(number, SHORT, (number - 1) / 3 + 1, false));
        }

        assertEquals(
                Stream.of(1, 4, 2, 5, 3, 6).map(BlockRig::block).toList(),
                beginAll(one).stream().map(Pull::block).toList());
    }

    @Test
    void longBlockIsNotPassedByShortOnes() throws Exception {
        PullLine one = new PullLine(1, 100, 100, 8);
        Pull first = pull(1, SHORT, 1, false);
        Pull second = pull(2, LONG, 2, false);
        Pull third = pull(3, SHORT, 3, false);
        one.add(first);
        one.add(second);
        one.add(third);

        assertSame(first, one.next());
        assertNull(one.next());
        one.ended(first);
        assertSame(second, one.next());
        assertNull(one.next());
        one.ended(second);
        assertSame(third, one.next());
    }

    @Test
    void pullsOfAnyLengthsAndSourcesAreEachBegunOnceWithinTheBounds() throws Exception {
        for (int seed = 0; seed < 200; seed++) {
            beginInAnyOrder(new Random(seed));
        }
    }

    private static void beginInAnyOrder(Random random) throws Exception {
        int places = 1 + random.nextInt(4);
        PullLine some = new PullLine(places, 300, 1_000, 8);
        int sources = 1 + random.nextInt(4);
        Set<Pull> waiting = new HashSet<>();
        List<Pull> running = new ArrayList<>();
        for (int number = 1; number <= 200 || !waiting.isEmpty() || !running.isEmpty(); number++) {
            if (number <= 200) {
                int length = random.nextInt(3) > 0 ? random.nextInt(2 << 20) : SHORT;
                Pull pull = pull(number, length, 1 + random.nextInt(sources), random.nextInt(3) == 0);
                some.add(pull);
                waiting.add(pull);
            }
            for (Pull begun : beginAll(some)) {
                assertTrue(waiting.remove(begun), "it is begun twice");
                running.add(begun);
            }
            requireWithinBounds(places, running);
            assertTrue(waiting.isEmpty() || !running.isEmpty(), "a pull waits while none runs");
            if (!running.isEmpty() && (number > 200 || random.nextBoolean())) {
                some.ended(running.remove(random.nextInt(running.size())));
            } else if (!waiting.isEmpty() && random.nextInt(10) == 0) {
                Pull cancelled = waiting.iterator().next();
                assertTrue(some.remove(cancelled));
                waiting.remove(cancelled);
            }
            assertEquals(waiting.size(), some.queued());
            assertEquals(waiting.stream().mapToLong(Pull::lengthBytes).sum(), some.queuedBytes());
            assertEquals(running.size(), some.running());
        }
    }

    private static void requireWithinBounds(int places, List<Pull> running) {
        long longOnes = running.stream().filter(pull -> !pull.isShort()).count();
        long shortBytes = running.stream()
                .filter(Pull::isShort)
                .mapToLong(Pull::lengthBytes)
                .sum();
        assertTrue(running.size() - longOnes <= 8 * (2L * places - longOnes), "too many run");
        assertTrue(shortBytes <= (2L * places - longOnes) * Device.UNIT_BYTES, "they take too much memory");
    }

    private static List<Pull> beginAll(PullLine line) {
        List<Pull> begun = new ArrayList<>();
        for (Pull next = line.next(); next != null; next = line.next()) {
            begun.add(next);
        }
        return begun;
    }

    private Pull added(int number, boolean urgent) throws TatamiException {
        Pull pull = pull(number, LONG, 1, urgent);
        assertTrue(line.hasRoomFor(pull));
        line.add(pull);
        return pull;
    }

    private static Pull pull(int number, int length, int source, boolean urgent) throws TatamiException {
        return Pull.of(PullBlocksRequest.Item.newBuilder()
                .setBlockId(BlockRig.block(number).value())
                .setLength(length)
                .setCopyNumber(1)
                .setUrgent(urgent)
                .addSource(WriteTarget.newBuilder()
                        .setServerId(source)
                        .setHost("source")
                        .setPort(1))
                .build());
    }
}
