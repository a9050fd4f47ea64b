package io.tatami.meta.service.lead;

import static io.tatami.meta.service.host.LoopHarness.origin;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.service.host.Increment;
import io.tatami.meta.service.host.LoopHarness;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.View;
import io.tatami.protocol.wire.DirectorySlice;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records that only a group's leader has: what changes them alone waits for no log and is not remembered. */
class VolatileRecordsTest {
    private static final byte[] KEY = Keys.firstLease(new SessionId(1), new FileId(1));

    @TempDir
    Path directory;

    /** Adds one to a volatile counter and answers what it is; where the request has bytes, to a stored one as well. */
    private static final class Count implements Operation<Draft, DirectorySlice, DirectorySlice> {
        @Override
        public DirectorySlice decide(Draft state, RequestContext context, DirectorySlice request)
                throws TatamiException {
            long next = number(state.get(KEY)) + 1;
            state.put(KEY, ByteBuffer.allocate(Long.BYTES).putLong(next).array());
            if (request.getBytes() > 0) {
                DirectorySlice unused = new Increment().decide(state, context, Increment.of(1));
            }
            return DirectorySlice.newBuilder().setFiles(next).build();
        }

        @Override
        public boolean mayChangeVolatileOnly(DirectorySlice request) {
            return true;
        }
    }

    private static long number(byte @Nullable [] value) {
        return value == null ? 0 : ByteBuffer.wrap(value).getLong();
    }

    private static DirectorySlice read(Draft state, RequestContext context, DirectorySlice request) {
        return DirectorySlice.newBuilder().setFiles(number(state.get(KEY))).build();
    }

    private static final DirectorySlice ONLY_VOLATILE = DirectorySlice.getDefaultInstance();
    private static final DirectorySlice STORED_TOO =
            DirectorySlice.newBuilder().setBytes(1).build();

    private static CompletableFuture<DirectorySlice> count(LoopHarness group, long number, DirectorySlice request) {
        return group.send(new Count(), origin(7, number, 0), request, Increment.METHOD);
    }

    @Test
    void whatChangesThemOnlyIsAnsweredWhileNothingCanBeCommitted() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            group.log.hold();
            assertEquals(1, group.onThread(() -> count(group, 1, ONLY_VOLATILE)).getFiles());
            assertEquals(2, count(group, 2, ONLY_VOLATILE).join().getFiles(), "from another thread");
            assertEquals(
                    2,
                    group.read(VolatileRecordsTest::read, ONLY_VOLATILE).join().getFiles());
            group.log.release();
        }
    }

    @Test
    void whatChangesThemOnlyMayBeDoneAgain() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(1, group.onThread(() -> count(group, 1, ONLY_VOLATILE)).getFiles());
            assertEquals(2, group.onThread(() -> count(group, 1, ONLY_VOLATILE)).getFiles());
            assertEquals(3, count(group, 1, ONLY_VOLATILE).join().getFiles());
        }
    }

    @Test
    void whatChangesOthersTooWaitsForTheLogAndIsDoneOnce() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            group.log.hold();
            CompletableFuture<CompletableFuture<DirectorySlice>> sent = new CompletableFuture<>();
            group.onThread(() -> {
                sent.complete(count(group, 1, STORED_TOO));
                return CompletableFuture.completedFuture(ONLY_VOLATILE);
            });
            group.log.awaitCommit();
            assertFalse(sent.join().isDone());
            group.log.release();
            assertEquals(1, sent.join().join().getFiles());
            assertEquals(1, group.onThread(() -> count(group, 1, STORED_TOO)).getFiles());
            assertEquals(2, group.send(Increment.of(1)).join().getFiles(), "added to once");
        }
    }

    @Test
    void theyEndWithTheLeader() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(1, count(group, 1, STORED_TOO).join().getFiles());
        }
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(
                    0,
                    group.read(VolatileRecordsTest::read, ONLY_VOLATILE).join().getFiles());
            assertEquals(2, group.send(Increment.of(1)).join().getFiles());
        }
    }

    @Test
    void theyAreScannedApartFromThoseStored() {
        MemoryView stored = new MemoryView();
        Draft lasting = new Draft(stored);
        lasting.put(Keys.lease(new SessionId(1), new FileId(1)), new byte[] {1});
        stored.apply(lasting);
        VolatileRecords volatiles = new VolatileRecords();
        put(volatiles, new byte[] {2});
        View view = volatiles.over(stored);
        assertEquals(List.of(1), scanned(view, Keys.kind('l')));
        assertEquals(List.of(2), scanned(view, Keys.volatiles()));
        Draft above = new Draft(view);
        above.delete(KEY);
        assertEquals(List.of(), scanned(above, Keys.volatiles()));
        assertEquals(List.of(2), scanned(view, Keys.volatiles()));
    }

    private static List<Integer> scanned(View view, byte[] prefix) {
        List<Integer> values = new ArrayList<>();
        try (View.Cursor cursor = view.scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                values.add((int) cursor.value()[0]);
            }
        }
        return values;
    }

    @Test
    void spentOnesStayUntilManyMoreAre() {
        VolatileRecords volatiles = new VolatileRecords();
        View view = volatiles.over(new MemoryView());
        put(volatiles, new byte[0]);
        for (int file = 2; file <= VolatileRecords.SPENT_MAX; file++) {
            spend(volatiles, file);
        }
        assertArrayEquals(new byte[0], view.get(KEY));
        spend(volatiles, VolatileRecords.SPENT_MAX + 1);
        assertNull(view.get(KEY));
    }

    private static void put(VolatileRecords volatiles, byte[] value) {
        Draft draft = new Draft(new MemoryView());
        draft.put(KEY, value);
        volatiles.change(draft.changes());
    }

    private static void spend(VolatileRecords volatiles, int file) {
        Draft draft = new Draft(new MemoryView());
        draft.put(Keys.firstLease(new SessionId(1), new FileId(file)), new byte[0]);
        volatiles.change(draft.changes());
    }
}
