package io.tatami.meta.state;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class DraftTest {
    private static final byte[] KEY = {'k'};

    private static boolean isNew(Draft draft) {
        return Objects.requireNonNull(draft.changes().get(KEY)).isNew();
    }

    @Test
    void aNewRecordThatIsRemovedAgainLeavesNothing() {
        MemoryView store = new MemoryView();
        Draft batch = new Draft(store);
        Draft first = new Draft(batch);
        first.putNew(KEY, new byte[1]);
        first.mergeInto(batch);
        assertTrue(isNew(batch));
        Draft second = new Draft(batch);
        second.put(KEY, new byte[2]);
        second.mergeInto(batch);
        assertTrue(isNew(batch), "below the batch there is still none");
        Draft third = new Draft(batch);
        third.delete(KEY);
        third.mergeInto(batch);
        assertTrue(batch.isEmpty());
        assertArrayEquals(null, batch.get(KEY));
    }

    @Test
    void aRecordThatWasRemovedIsNotNewWhenItComesAgain() {
        MemoryView store = new MemoryView();
        Draft batch = new Draft(store);
        batch.delete(KEY);
        Draft operation = new Draft(batch);
        operation.putNew(KEY, new byte[3]);
        operation.mergeInto(batch);
        assertFalse(isNew(batch));
        operation = new Draft(batch);
        operation.delete(KEY);
        operation.mergeInto(batch);
        assertEquals(1, batch.changes().size(), "the removal has to reach the store");
    }

    /** Whatever is put and removed in drafts over drafts, the store holds what a map would. */
    @Test
    void anyNestingOfChangesEndsAsAMapDoes() {
        Random random = new Random(20261122);
        MemoryView store = new MemoryView();
        TreeMap<String, byte[]> expected = new TreeMap<>();
        int minted = 0;
        for (int round = 0; round < 500; round++) {
            Draft batch = new Draft(store);
            for (int i = 0; i < 4; i++) {
                Draft operation = new Draft(batch);
                for (int j = 0; j < 4; j++) {
                    byte[] value = {(byte) random.nextInt()};
                    int kind = random.nextInt(4);
                    String name = "r" + (kind == 0 ? minted++ : random.nextInt(minted + 1));
                    byte[] key = name.getBytes(US_ASCII);
                    if (kind == 0 && !expected.containsKey(name)) {
                        operation.putNew(key, value);
                        expected.put(name, value);
                    } else if (kind == 1) {
                        operation.delete(key);
                        expected.remove(name);
                    } else {
                        operation.put(key, value);
                        expected.put(name, value);
                    }
                }
                operation.mergeInto(batch);
            }
            store.apply(batch);
        }
        for (int i = 0; i <= minted; i++) {
            String name = "r" + i;
            assertArrayEquals(expected.get(name), store.get(name.getBytes(US_ASCII)), name);
        }
    }
}
