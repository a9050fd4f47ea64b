package io.tatami.block.service.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.BlockRig;
import io.tatami.block.volume.SimVolume;
import io.tatami.protocol.wire.PullBlocksRequest;
import io.tatami.protocol.wire.WriteTarget;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Which copies may be made on a volume at once, and in which order. */
final class PullLineTest {
    private final PullLine line = new PullLine(2, 3, 2);

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
        assertFalse(line.hasRoomFor(pull(4, false)));
        assertTrue(line.hasRoomFor(pull(4, true)));
        assertEquals(3_000, line.queuedBytes());
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

    private Pull added(int number, boolean urgent) throws TatamiException {
        Pull pull = pull(number, urgent);
        assertTrue(line.hasRoomFor(pull));
        line.add(pull);
        return pull;
    }

    private static Pull pull(int number, boolean urgent) throws TatamiException {
        return Pull.of(PullBlocksRequest.Item.newBuilder()
                .setBlockId(BlockRig.block(number).value())
                .setLength(1_000)
                .setCopyNumber(1)
                .setUrgent(urgent)
                .addSource(WriteTarget.getDefaultInstance())
                .build());
    }
}
