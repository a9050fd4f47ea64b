package io.tatami.meta.service.lead;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.View;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RecentRecordsTest {
    private static final int KEYS = 20_000;
    private static final int LONG_BYTES = 5_000;

    /** Counts what the store is asked. */
    private static final class CountingView implements View {
        private final MemoryView records = new MemoryView();
        private int reads;

        @Override
        public byte @Nullable [] get(byte[] key) {
            reads++;
            return records.get(key);
        }

        @Override
        public Cursor scan(byte[] from, byte[] to) {
            return records.scan(from, to);
        }
    }

    @Test
    void anyMixOfChangesAndReadsShowsWhatTheStoreHolds() {
        Random random = new Random(20261121);
        CountingView store = new CountingView();
        RecentRecords recent = new RecentRecords();
        View seen = recent.over(store);
        int asked = 0;
        for (int batch = 0; batch < 2_000; batch++) {
            Draft draft = new Draft(seen);
            for (int i = 0; i < 10; i++) {
                byte[] key = key(random);
                switch (random.nextInt(4)) {
                    case 0 -> draft.delete(key);
                    case 1 -> draft.put(key, new byte[LONG_BYTES + random.nextInt(9)]);
                    default -> draft.put(key, new byte[random.nextInt(9)]);
                }
            }
            recent.changed(draft.changes());
            store.records.apply(draft);
            for (int i = 0; i < 20; i++) {
                byte[] key = key(random);
                assertArrayEquals(store.records.get(key), seen.get(key), "batch " + batch);
                asked++;
            }
        }
        assertTrue(store.reads < asked, store.reads + " of " + asked + " reads reached the store");
    }

    @Test
    void whatIsAskedAgainIsNotReadAgainAbsenceIncluded() {
        CountingView store = new CountingView();
        View seen = new RecentRecords().over(store);
        for (int i = 0; i < 3; i++) {
            assertArrayEquals(null, seen.get(Keys.singleton("none")));
        }
        assertEquals(1, store.reads);
    }

    @Test
    void whatIsAskedOverAnotherViewIsAtHandAfterwardsAndTheOtherWayRound() {
        CountingView store = new CountingView();
        CountingView other = new CountingView();
        RecentRecords recent = new RecentRecords();
        View seen = recent.over(store);
        seen.get(Keys.singleton("one"));
        View over = recent.over(other);
        over.get(Keys.singleton("one"));
        over.get(Keys.singleton("two"));
        seen.get(Keys.singleton("two"));
        assertEquals(1, store.reads);
        assertEquals(1, other.reads);
    }

    /** Few are asked for often, most seldom; some are replies. */
    private static byte[] key(Random random) {
        int number = random.nextInt(random.nextBoolean() ? 50 : KEYS);
        return ((random.nextInt(4) == 0 ? "c" : "e") + number).getBytes(US_ASCII);
    }
}
