package io.tatami.meta.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.meta.state.Needs.Urgency;
import org.junit.jupiter.api.Test;

final class NeedsTest {
    private static final BlockId BLOCK = new BlockId(70);
    private static final FileId FILE = new FileId(7);

    private final MemoryView store = new MemoryView();
    private final Draft draft = new Draft(store);
    private final Needs needs = new ShardState(draft).needs();

    @Test
    void aBlockThatWaitsInAClassStaysThereWhenItIsToBeLookedAtAgain() {
        needs.put(BLOCK, Urgency.LAST_COPY, FILE, 3);
        needs.look(BLOCK, FILE, 3);
        assertEquals(Urgency.LAST_COPY, needs.urgency(BLOCK));
        assertEquals(1, waiting());
    }

    @Test
    void aBlockWaitsInOneClassAtMost() {
        needs.look(BLOCK, FILE, 3);
        assertEquals(Urgency.UNJUDGED, needs.urgency(BLOCK));
        for (Urgency urgency : Urgency.values()) {
            needs.put(BLOCK, urgency, FILE, 3);
            assertEquals(urgency, needs.urgency(BLOCK));
            assertEquals(1, waiting());
        }
        needs.remove(BLOCK);
        assertNull(needs.urgency(BLOCK));
        assertEquals(0, waiting());
    }

    @Test
    void filesThatWaitAreNotAmongTheBlocksOfAnyClass() {
        needs.lookAtFile(FILE);
        assertEquals(0, waiting());
    }

    private int waiting() {
        int count = 0;
        for (Urgency urgency : Urgency.values()) {
            byte[] prefix = Keys.needs(urgency.number());
            try (View.Cursor cursor = draft.scan(prefix, Keys.after(prefix))) {
                while (cursor.next()) {
                    count++;
                }
            }
        }
        return count;
    }
}
