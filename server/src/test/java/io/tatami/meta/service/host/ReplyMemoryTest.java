package io.tatami.meta.service.host;

import static io.tatami.meta.service.host.LoopHarness.failureOf;
import static io.tatami.meta.service.host.LoopHarness.origin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.ErrorCode;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.RepliesRecord;
import io.tatami.meta.store.StoreSnapshot;
import io.tatami.protocol.wire.Share;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReplyMemoryTest {
    @TempDir
    private Path directory = Path.of("");

    private static long remembered(LoopHarness group, long session) throws TatamiException {
        byte[] from = Keys.replies(new SessionId(session));
        long count = 0;
        try (StoreSnapshot snapshot = group.store().snapshot();
                View.Cursor cursor = snapshot.view().scan(from, Keys.after(from))) {
            while (cursor.next()) {
                count += RepliesRecord.parseFrom(cursor.value()).getReplyCount();
            }
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
        return count;
    }

    @Test
    void repliesTheClientHasAreForgottenAndNeverDoneAgain() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            for (int number = 1; number <= 200; number++) {
                group.sendOnce(origin(7, number, number - 1), Increment.of(1)).join();
            }
            assertEquals(1, remembered(group, 7), "replies pile up");
            assertEquals(
                    ErrorCode.REPLY_EVICTED,
                    failureOf(group.sendOnce(origin(7, 3, 0), Increment.of(1))).code());
        }
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(
                    ErrorCode.REPLY_EVICTED,
                    failureOf(group.sendOnce(origin(7, 3, 0), Increment.of(1))).code());
            assertEquals(
                    201,
                    group.sendOnce(origin(7, 201, 200), Increment.of(1)).join().getFiles());
        }
    }

    @Test
    void aClientThatNeverAcknowledgesDoesNotFillTheStore() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            int sent = ReplyMemory.REPLIES_PER_SESSION_MAX + 500;
            for (int number = 1; number <= sent; number += 500) {
                for (int i = number; i < number + 499; i++) {
                    var unused = group.sendOnce(origin(7, i, 0), Increment.of(1));
                }
                group.sendOnce(origin(7, number + 499, 0), Increment.of(1)).join();
            }
            assertTrue(remembered(group, 7) <= ReplyMemory.REPLIES_PER_SESSION_MAX);
            assertEquals(
                    ErrorCode.REPLY_EVICTED,
                    failureOf(group.sendOnce(origin(7, 1, 0), Increment.of(1))).code());
        }
    }

    @Test
    void aSilentSessionIsClosedAndStaysSoAfterARestart() throws TatamiException {
        LoopHarness.TestClock clock = new LoopHarness.TestClock();
        try (LoopHarness group = new LoopHarness(directory, clock, q -> CompletableFuture.completedFuture(null))) {
            group.sendOnce(origin(7, 1, 0), Increment.of(1)).join();
            clock.nanos.addAndGet(ReplyMemory.SILENCE_NANOS + 1);
            group.sendOnce(origin(8, 1, 0), Increment.of(1)).join();
            assertEquals(0, remembered(group, 7));
            assertEquals(
                    ErrorCode.NO_SUCH_SESSION,
                    failureOf(group.sendOnce(origin(7, 1, 0), Increment.of(1))).code());
        }
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(
                    ErrorCode.NO_SUCH_SESSION,
                    failureOf(group.sendOnce(origin(7, 2, 0), Increment.of(1))).code());
            assertEquals(
                    3, group.sendOnce(origin(8, 2, 0), Increment.of(1)).join().getFiles());
        }
    }

    /** I5: whatever is repeated, delayed or reordered, and through restarts, nothing is done twice. */
    @Test
    void randomRetriesAndRestartsDoEverythingAtMostOnce() throws TatamiException {
        long seed = Long.getLong("tatami.test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        TreeMap<Long, Long> replies = new TreeMap<>();
        long mark = 0;
        for (int life = 0; life < 5; life++) {
            try (LoopHarness group = new LoopHarness(directory)) {
                for (int i = 0; i < 300; i++) {
                    long number = 1 + Math.max(0, mark - 40) + random.nextInt(80);
                    send(group, number, mark, replies);
                    while (replies.containsKey(mark + 1) && random.nextInt(3) > 0) {
                        mark++;
                    }
                }
            }
        }
        assertTrue(replies.size() > 50, "too little was done to show anything: " + replies.size());
    }

    /** The counter tells how often anything was done: a new request must make it one more than there are replies. */
    private static void send(LoopHarness group, long number, long mark, TreeMap<Long, Long> replies) {
        recall(group, number, mark, replies);
        CompletableFuture<Share> answer = group.sendOnce(origin(7, number, mark), Increment.of(1));
        boolean failed = answer.handle((reply, thrown) -> thrown != null).join();
        if (failed) {
            assertTrue(number <= mark, number + " was refused above the mark " + mark);
            assertEquals(ErrorCode.REPLY_EVICTED, failureOf(answer).code());
        } else {
            long expected = replies.getOrDefault(number, replies.size() + 1L);
            assertEquals(expected, answer.join().getFiles(), "number " + number);
            replies.put(number, expected);
        }
    }

    /**
     * What is looked up beside the group's thread is what was answered: nothing is missed, and nothing forgotten new.
     */
    private static void recall(LoopHarness group, long number, long mark, TreeMap<Long, Long> replies) {
        CompletableFuture<Optional<Share>> remembered = group.recall(origin(7, number, mark));
        boolean failed = remembered.handle((reply, thrown) -> thrown != null).join();
        if (failed) {
            assertTrue(number <= mark, number + " was forgotten above the mark " + mark);
            assertEquals(ErrorCode.REPLY_EVICTED, failureOf(remembered).code());
        } else {
            assertEquals(
                    Optional.ofNullable(replies.get(number)),
                    remembered.join().map(Share::getFiles),
                    "number " + number);
        }
    }

    @Test
    void requestsAfterOneThatWasForgottenAreNew() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            for (int number = 1; number <= 200; number++) {
                group.sendOnce(origin(7, number, number - 1), Increment.of(1)).join();
            }
            assertEquals(
                    ErrorCode.REPLY_EVICTED,
                    failureOf(group.recall(origin(7, 3, 0))).code());
            assertTrue(group.recall(origin(7, 200, 0)).join().isPresent());
            assertTrue(group.recall(origin(7, 201, 0)).join().isEmpty());
            assertTrue(group.recall(origin(9, 1, 0)).join().isEmpty(), "a session that is not known here");
        }
    }
}
