package io.tatami.meta.service.lead;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.View;
import org.junit.jupiter.api.Test;

final class BatchTest {
    private static final byte[] STORED = Keys.singleton("a");
    private static final byte[] VOLATILE = Keys.firstLease(new SessionId(1), new FileId(1));

    private final MemoryView store = new MemoryView();
    private final RecentRecords recent = new RecentRecords();
    private final VolatileRecords volatiles = new VolatileRecords();

    private Batch next() {
        return Batch.next(store, recent, volatiles, 5, 3);
    }

    private static Draft changing(View on, byte[]... keys) {
        Draft operation = new Draft(on);
        for (byte[] key : keys) {
            operation.put(key, new byte[] {1});
        }
        return operation;
    }

    @Test
    void eachRequestSeesThoseBeforeItAndTheLogTimeDoesNotFall() throws TatamiException {
        Batch batch = next();
        assertTrue(batch.accept(changing(batch.view(), STORED, VOLATILE)));
        assertArrayEquals(new byte[] {1}, batch.view().get(STORED));
        assertArrayEquals(new byte[] {1}, batch.view().get(VOLATILE));
        assertEquals(5, batch.logMillis());
        assertEquals(1, batch.end().changes().size(), "the volatile record is not for the log");
    }

    @Test
    void aBatchThatHasEndedTakesNoRequest() {
        Batch batch = next();
        assertTrue(batch.end().isEmpty());
        assertThrows(IllegalStateException.class, () -> batch.accept(changing(batch.view(), STORED)));
        assertNull(store.get(STORED));
    }

    @Test
    void aReadThatChangesRecordsIsABugAndChangesNone() throws TatamiException {
        for (byte[] key : new byte[][] {STORED, VOLATILE}) {
            Batch read = Batch.ofRead(store, volatiles, 5, 3);
            assertTrue(read.accept(changing(read.view(), key)));
            assertThrows(IllegalStateException.class, read::requireUnchanged);
            assertNull(volatiles.over(store).get(key));
        }
        Batch.ofRead(store, volatiles, 5, 3).requireUnchanged();
    }
}
