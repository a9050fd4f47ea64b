package io.tatami.benchmarks.workload.affinity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.junit.jupiter.api.Test;

class AffinitySplitTest {
    private static final int TASKS = 8;

    private static List<AffinitySplit> splits(boolean isLocated) {
        return AffinitySplit.all(TASKS, 1 << 20, task -> List.of("node" + task), isLocated, new Random(3));
    }

    @Test
    void locatedSplitsNameTheirHostsAndOthersNone() {
        for (AffinitySplit split : splits(true)) {
            assertArrayEquals(new String[] {"node" + split.number()}, split.getLocations());
        }
        for (AffinitySplit split : splits(false)) {
            assertArrayEquals(new String[0], split.getLocations());
            assertEquals(List.of("node" + split.number()), split.hosts());
        }
    }

    @Test
    void everyTaskHasOneSplitAndTheirOrderIsRandom() {
        List<Integer> numbers = splits(true).stream().map(AffinitySplit::number).toList();
        List<Integer> inOrder = IntStream.range(0, TASKS).boxed().toList();
        assertEquals(inOrder, numbers.stream().sorted().toList());
        assertNotEquals(inOrder, numbers);
    }

    @Test
    void aSplitIsReadAsItWasWritten() throws Exception {
        DataOutputBuffer out = new DataOutputBuffer();
        new AffinitySplit(5, 7 << 20, List.of("node1", "node4"), true).write(out);
        DataInputBuffer in = new DataInputBuffer();
        in.reset(out.getData(), out.getLength());
        AffinitySplit read = new AffinitySplit();
        read.readFields(in);

        assertEquals(5, read.number());
        assertEquals(7 << 20, read.getLength());
        assertArrayEquals(new String[] {"node1", "node4"}, read.getLocations());
    }
}
