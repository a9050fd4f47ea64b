package io.tatami.meta.service.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.DirectorySlice;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both readers are held up, and as many reads wait as may. */
final class ReaderPoolTest {
    private static final int WAITING_MAX = 3;

    private static final Operation<Draft, DirectorySlice, DirectorySlice> READ =
            (draft, context, request) -> DirectorySlice.newBuilder().setFiles(7).build();

    private final ExecutorService readers = ReaderPool.of(2, WAITING_MAX, "test-reader");
    private final CountDownLatch held = new CountDownLatch(2);
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch waited = new CountDownLatch(WAITING_MAX);

    @TempDir
    private Path directory = Path.of("");

    @BeforeEach
    void fill() throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            readers.execute(() -> {
                held.countDown();
                awaitUninterruptibly(released);
            });
        }
        assertTrue(held.await(1, TimeUnit.MINUTES));
        for (int i = 0; i < WAITING_MAX; i++) {
            readers.execute(waited::countDown);
        }
    }

    @AfterEach
    void close() {
        released.countDown();
        readers.shutdownNow();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            assertTrue(latch.await(1, TimeUnit.MINUTES));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void readBeyondThoseThatWaitIsRefusedAsBusyAndServedLater() throws Exception {
        try (LoopHarness group = new LoopHarness(directory, readers)) {
            CompletableFuture<DirectorySlice> refused = group.read(READ, DirectorySlice.getDefaultInstance());
            assertTrue(refused.isDone(), "it waits");
            assertEquals(ErrorCode.BUSY, LoopHarness.failureOf(refused).code());
            released.countDown();
            assertTrue(waited.await(1, TimeUnit.MINUTES));
            CompletableFuture<DirectorySlice> served = group.read(READ, DirectorySlice.getDefaultInstance());
            assertEquals(7, served.get(1, TimeUnit.MINUTES).getFiles());
        }
    }

    @Test
    void callerWhoseGroupsWereLookedUpIsRefusedAsBusy() throws Exception {
        try (UserRightsCache callers = new UserRightsCache(
                user -> {
                    awaitUninterruptibly(asked);
                    return List.of();
                },
                readers,
                new SteppedTimer((delayMillis, action) -> {}),
                Clock.SYSTEM,
                "root",
                "supergroup")) {
            // What is known by the time the request looks is told at once, without a reader.
            CompletableFuture<Caller> refused = callers.of(UserIdentity.of("ann"));
            asked.countDown();
            assertSame(
                    ErrorCode.BUSY,
                    LoopHarness.failureOf(refused.orTimeout(1, TimeUnit.MINUTES))
                            .code());
        }
    }
}
