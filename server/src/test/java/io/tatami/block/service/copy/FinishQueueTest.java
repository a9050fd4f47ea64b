package io.tatami.block.service.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Generation;
import io.tatami.block.service.BlockRig;
import io.tatami.block.volume.SimVolume;
import io.tatami.protocol.wire.PullBlocksRequest;
import io.tatami.protocol.wire.WriteTarget;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which filled copies share a flush. */
final class FinishQueueTest {
    private static final long SHORT = 1_000;
    private static final long HALF = FinishQueue.BYTES_MAX / 2;

    private final FinishQueue queue = new FinishQueue(3);
    private SimVolume disk;

    @BeforeEach
    void format() throws Exception {
        disk = new SimVolume(8L << 20, 7);
    }

    @AfterEach
    void close() throws Exception {
        disk.close();
    }

    @Test
    void aLoneCopyWaitsForNoOther() throws Exception {
        assertFalse(queue.begin());
        add(1, SHORT, false);

        assertTrue(queue.begin());
        assertEquals(List.of(1L), closed());
    }

    @Test
    void whatComesDuringABatchIsInTheNext() throws Exception {
        add(1, SHORT, false);
        assertTrue(queue.begin());
        assertEquals(List.of(1L), closed());
        add(2, SHORT, false);
        add(3, SHORT, false);

        assertFalse(queue.begin(), "one is under way");
        assertEquals(3, queue.copies());
        queue.ended();
        assertTrue(queue.begin());
        assertEquals(List.of(2L, 3L), closed());
        queue.ended();
        assertFalse(queue.begin());
        assertEquals(0, queue.copies());
    }

    @Test
    void urgentCopiesComeFirst() throws Exception {
        add(1, SHORT, false);
        add(2, SHORT, false);
        add(3, SHORT, false);
        add(4, SHORT, true);

        assertTrue(queue.isFull(false));
        assertFalse(queue.isFull(true));
        assertEquals(List.of(4L, 1L, 2L), closed());
        assertEquals(List.of(3L), closed());
    }

    @Test
    void whatIsFullOfLongCopiesHasRoomForUrgentOnesAndAllShareABatch() throws Exception {
        add(1, HALF, false);
        assertFalse(queue.isFull(false));
        add(2, 4 * HALF, false);
        assertTrue(queue.isFull(false));
        assertFalse(queue.isFull(true));
        add(3, 2 * HALF, true);
        assertTrue(queue.isFull(true));

        assertEquals(List.of(3L, 1L, 2L), closed());
        assertFalse(queue.isFull(false));
        assertFalse(queue.isFull(true));
    }

    private void add(int number, long lengthBytes, boolean urgent) throws Exception {
        Pull pull = Pull.of(PullBlocksRequest.Item.newBuilder()
                .setBlockId(BlockRig.block(number).value())
                .setLength(lengthBytes)
                .setCopyNumber(number)
                .setUrgent(urgent)
                .addSource(WriteTarget.getDefaultInstance())
                .build());
        queue.add(new FilledCopy(pull, disk.volume().create(pull.block(), Generation.FIRST, SHORT, false)));
    }

    private List<Long> closed() {
        return queue.close().stream()
                .map(copy -> (long) copy.pull().copyNumber())
                .toList();
    }
}
