package io.tatami.meta.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NearbyRecordsTest {
    /** Counts what is asked of a view. */
    private static final class CountingView implements View {
        private final View below;
        private int lookUps;
        private int steps;

        CountingView(View below) {
            this.below = below;
        }

        @Override
        public byte @Nullable [] get(byte[] key) {
            lookUps++;
            return below.get(key);
        }

        @Override
        public Cursor scan(byte[] from, byte[] to) {
            Cursor cursor = below.scan(from, to);
            return new Cursor() {
                @Override
                public boolean next() {
                    steps++;
                    return cursor.next();
                }

                @Override
                public byte[] key() {
                    return cursor.key();
                }

                @Override
                public byte[] value() {
                    return cursor.value();
                }

                @Override
                public void close() {
                    cursor.close();
                }
            };
        }
    }

    private static byte[] key(int id) {
        return Keys.slice(new DirectoryId(id));
    }

    private static CountingView holding(List<Integer> ids) {
        Draft records = new Draft(new MemoryView());
        ids.forEach(id -> records.put(key(id), value(id)));
        return new CountingView(records);
    }

    private static byte[] value(int id) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(id).array();
    }

    private static Map<Integer, Integer> read(View view, List<Integer> ids) {
        Map<Integer, Integer> read = new HashMap<>();
        NearbyRecords.read(view, ids, NearbyRecordsTest::key)
                .forEach((id, value) -> read.put(id, ByteBuffer.wrap(value).getInt()));
        return read;
    }

    @Test
    void whatIsReadIsWhatIsThereInWhateverOrderItIsAskedFor() {
        for (int seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            int span = 1 + random.nextInt(300);
            List<Integer> there = new ArrayList<>();
            List<Integer> asked = new ArrayList<>();
            int density = 1 + random.nextInt(100);
            int share = 1 + random.nextInt(100);
            for (int id = 1; id <= span; id++) {
                if (random.nextInt(100) < density) {
                    there.add(id);
                }
                while (random.nextInt(100) < share && asked.size() < 200) {
                    asked.add(random.nextInt(4) == 0 ? 1 + random.nextInt(span) : id);
                }
            }
            Map<Integer, Integer> expected = new HashMap<>();
            asked.stream().filter(there::contains).forEach(id -> expected.put(id, id));
            assertEquals(expected, read(holding(there), asked), "seed " + seed);
        }
    }

    @Test
    void neighboursAreReadByOneScan() {
        CountingView view = holding(IntStream.rangeClosed(1, 1_000).boxed().toList());
        List<Integer> asked = IntStream.rangeClosed(1, 1_000)
                .filter(id -> id % 3 == 0)
                .boxed()
                .toList();
        assertEquals(333, read(view, asked).size());
        assertEquals(0, view.lookUps);
        assertTrue(view.steps <= 1_000, () -> view.steps + " steps");
    }

    @Test
    void whatLiesFarApartIsLookedUp() {
        CountingView view = holding(IntStream.rangeClosed(1, 100_000).boxed().toList());
        List<Integer> asked = List.of(1, 40_000, 70_000, 100_000, 200_000);
        assertEquals(Map.of(1, 1, 40_000, 40_000, 70_000, 70_000, 100_000, 100_000), read(view, asked));
        assertEquals(4, view.lookUps);
        assertTrue(view.steps <= 25, () -> view.steps + " steps");
    }

    @Test
    void nothingIsReadOfNothing() {
        CountingView view = holding(List.of(1, 2, 3));
        assertEquals(Map.of(), read(view, List.of()));
        assertEquals(0, view.steps + view.lookUps);
    }
}
