package io.tatami.benchmarks.workload.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.benchmarks.workload.simulate.Transfers.Transfer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TransfersTest {
    private static final int BLOCK_BYTES = 1_000_000;

    @Test
    void copyTakesAsLongAsItsSlowestPart() {
        assertEquals(10, seconds(transfers(100_000, 1_000_000, 0), 1));
        assertEquals(20, seconds(transfers(1_000_000, 50_000, 0), 1));
        assertEquals(40, seconds(transfers(1_000_000, 1_000_000, 25_000), 1));
    }

    @Test
    void copiesBetweenTheSameServersShareWhatThereIs() {
        assertEquals(20, seconds(transfers(1_000_000, 100_000, 0), 2));
    }

    @Test
    void whatOneCannotUseOthersGet() {
        Transfers transfers = transfers(1_000_000, 100_000, 0);
        transfers.begin(0, 0, 1, 2, false);
        transfers.begin(0, 1, 1, 3, false);
        transfers.begin(0, 2, 4, 3, false);
        assertEquals(List.of(), transfers.step(19).stream().map(Transfer::block).toList());
        assertEquals(3, transfers.step(2).size());
    }

    @Test
    void urgentCopiesAreNotHeldUpByTheCopyRate() {
        Transfers transfers = transfers(1_000_000, 100_000, 10);
        transfers.begin(0, 0, 1, 2, true);
        assertEquals(1, transfers.step(11).size());
    }

    @Test
    void diskRunsAsManyPullsAsItMayAndUrgentOnesBeside() {
        Transfers transfers = transfers(1_000_000, 1_000_000, 0);
        for (int block = 0; block < 10; block++) {
            transfers.begin(0, block, 1, 2, false);
        }
        transfers.begin(0, 10, 1, 3, true);
        assertEquals(List.of(0, 1, 2, 3, 10), blocks(transfers.step(10)));
        assertEquals(List.of(4, 5, 6, 7), blocks(transfers.step(10)));
        assertEquals(List.of(8, 9), blocks(transfers.step(10)));
        assertTrue(transfers.isEmpty());
        assertEquals(11L * BLOCK_BYTES, transfers.movedBytes());
        assertEquals(11L * BLOCK_BYTES, transfers.sentBytes()[1]);
        assertEquals(10L * BLOCK_BYTES, transfers.receivedBytes()[2]);
        assertEquals(10L * BLOCK_BYTES, transfers.limitedBytes());
    }

    @Test
    void slowDisksTakeTenTimesAsLong() {
        Transfers transfers = transfers(100_000, 1_000_000, 0);
        transfers.slowDown(100, new Random(1));
        assertEquals(100, seconds(transfers, 1));
    }

    private static List<Integer> blocks(List<Transfer> made) {
        return made.stream().map(Transfer::block).sorted().toList();
    }

    /** Until all of some copies from one server to another are made. */
    private static int seconds(Transfers transfers, int copies) {
        for (int block = 0; block < copies; block++) {
            transfers.begin(0, block, 1, 2, false);
        }
        List<Transfer> made = new ArrayList<>();
        int seconds = 0;
        while (made.size() < copies) {
            made.addAll(transfers.step(1));
            seconds++;
        }
        return seconds;
    }

    private static Transfers transfers(long disk, long link, long rate) {
        ClusterShape shape = new ClusterShape(4, 2, 1, 100, 3, BLOCK_BYTES, 1, disk, link, rate, 60, 256, 4, 1);
        return new Transfers(shape, 4);
    }
}
