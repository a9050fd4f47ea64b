package io.tatami.meta.service.lead;

import static io.tatami.meta.service.host.LoopHarness.failureOf;
import static io.tatami.meta.service.host.LoopHarness.origin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.tatami.base.Causes;
import io.tatami.base.Denial;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.RefusalSubject;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.host.Increment;
import io.tatami.meta.service.host.LoopHarness;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.RepliesRecord;
import io.tatami.meta.state.wire.ReplyRecord;
import io.tatami.meta.store.StoreSnapshot;
import io.tatami.protocol.wire.DirectorySlice;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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

    private LoopHarness group(LoopHarness.TestClock clock) throws TatamiException {
        return new LoopHarness(directory, clock, question -> CompletableFuture.completedFuture(null));
    }

    private static void pass(LoopHarness.TestClock clock, long nanos) {
        clock.nanos.addAndGet(nanos);
    }

    private static void increment(LoopHarness group, long session, long number) {
        group.sendOnce(origin(session, number, number - 1), Increment.of(1)).join();
    }

    /** What a flow and a decision are told of a request. */
    private static void assertEvicted(LoopHarness group, long session, long number) {
        assertEquals(
                ErrorCode.REPLY_EVICTED,
                failureOf(group.recall(origin(session, number, 0))).code());
        assertEquals(
                ErrorCode.REPLY_EVICTED,
                failureOf(group.sendOnce(origin(session, number, 0), Increment.of(1)))
                        .code());
    }

    @Test
    void aClientThatWasSilentForLongGoesOnUnderItsSession() throws TatamiException {
        LoopHarness.TestClock clock = new LoopHarness.TestClock();
        try (LoopHarness group = group(clock)) {
            increment(group, 7, 5);
            pass(clock, ReplyMemory.SILENCE_NANOS + 1);
            increment(group, 8, 1);
            assertEquals(0, remembered(group, 7));
            assertEvicted(group, 7, 5);
            assertTrue(group.recall(origin(7, 6, 0)).join().isEmpty(), "a flow is refused a new request");
            increment(group, 7, 6);
        }
        try (LoopHarness group = group(clock)) {
            pass(clock, ReplyMemory.SILENCE_NANOS + 1);
            increment(group, 8, 2);
        }
        try (LoopHarness group = group(clock)) {
            assertEvicted(group, 7, 6);
            increment(group, 7, 200);
            assertEquals(
                    6, group.sendOnce(origin(8, 3, 2), Increment.of(1)).join().getFiles());
        }
    }

    @Test
    void requestsOfAReturningClientMayArriveInAnyOrder() throws TatamiException {
        LoopHarness.TestClock clock = new LoopHarness.TestClock();
        try (LoopHarness group = group(clock)) {
            increment(group, 7, 5);
            pass(clock, ReplyMemory.SILENCE_NANOS + 1);
            increment(group, 8, 1);
            group.sendOnce(origin(7, 9, 5), Increment.of(1)).join();
            group.sendOnce(origin(7, 8, 5), Increment.of(1)).join();
            assertEquals(
                    4,
                    group.sendOnce(origin(7, 8, 5), Increment.of(1)).join().getFiles(),
                    "a repeated request is done once");
        }
    }

    /** Two days of a cluster whose clients come for one request each, at a hundred thousand a day. */
    @Test
    void clientsThatNeverLeaveOutliveHundredsOfThousandsThatDo() throws TatamiException {
        LoopHarness.TestClock clock = new LoopHarness.TestClock();
        int perHour = 4_300;
        long session = 10;
        try (LoopHarness group = group(clock)) {
            for (int hour = 1; hour <= 48; hour++) {
                for (int tenth = 0; tenth < 10; tenth++) {
                    for (int i = 1; i < perHour / 10; i++) {
                        var unused = group.sendOnce(origin(++session, 1, 0), Increment.of(1));
                    }
                    increment(group, ++session, 1);
                    pass(clock, TimeUnit.MINUTES.toNanos(6));
                }
                increment(group, 1, hour);
                if (hour % 7 == 0) {
                    increment(group, 2, hour);
                }
                if (hour % 40 == 0) {
                    increment(group, 3, hour);
                }
                if (hour >= 7 && hour % 7 == 3) {
                    // What came hours ago is known, and is not done again.
                    assertEvicted(group, 2, hour - 3);
                }
            }
            assertTrue(records(group) < 30 * perHour, "tombstones pile up: " + records(group));
            assertTrue(records(group) > 20 * perHour, "tombstones go early: " + records(group));
        }
    }

    private static long records(LoopHarness group) throws TatamiException {
        long count = 0;
        try (StoreSnapshot snapshot = group.store().snapshot();
                View.Cursor cursor = snapshot.view().scan(Keys.kind('c'), Keys.after(Keys.kind('c')))) {
            while (cursor.next()) {
                count++;
            }
        }
        return count;
    }

    private static RequestOrigin of(String user, long session, long number) {
        return new RequestOrigin(
                new Caller(user, List.of(), false), new SessionId(session), number, 0, RequestOrigin.NO_DEADLINE);
    }

    private static long begin(LoopHarness group, String user, long after, int sessions) {
        for (int i = 1; i <= sessions; i++) {
            CompletableFuture<DirectorySlice> sent = group.sendOnce(of(user, after + i, 1), Increment.of(1));
            if (i % 4_096 == 0 || i == sessions) {
                sent.join();
            }
        }
        return after + sessions;
    }

    @Test
    void sessionsInMemoryAreBoundedAndRoomIsMadeOfSilentOnes() throws TatamiException {
        LoopHarness.TestClock clock = new LoopHarness.TestClock();
        try (LoopHarness group = group(clock)) {
            long last = begin(group, "eve", 0, ReplyMemory.SESSIONS_OF_USER_MAX);
            assertEquals(
                    ErrorCode.BUSY,
                    failureOf(group.sendOnce(of("eve", last + 1, 1), Increment.of(1)))
                            .code());
            last = begin(group, "ann", last, ReplyMemory.SESSIONS_MAX - ReplyMemory.SESSIONS_OF_USER_MAX);
            assertEquals(
                    ErrorCode.BUSY,
                    failureOf(group.sendOnce(of("ann", last + 1, 1), Increment.of(1)))
                            .code());
            group.sendOnce(of("eve", 5, 2), Increment.of(1)).join();
            pass(clock, ReplyMemory.SILENCE_MIN_NANOS);
            // Each batch closes some.
            for (int number = 3; number < 40; number++) {
                group.sendOnce(of("eve", 5, number), Increment.of(1)).join();
            }
            begin(group, "eve", last, 1_000);
            assertEvicted(group, 6, 1);
            increment(group, 6, 2);
        }
    }

    @Test
    void whatEarlierReleasesWroteOfClosedSessionsRefusesNobody() throws TatamiException {
        LoopHarness.TestClock clock = new LoopHarness.TestClock();
        byte[] floor = Keys.singleton("sessions.floor");
        byte[] closed =
                RepliesRecord.newBuilder().setFloor(Long.MAX_VALUE).build().toByteArray();
        try (LoopHarness group = group(clock)) {
            group.send(
                            (state, context, request) -> {
                                state.put(
                                        floor,
                                        ByteBuffer.allocate(Long.BYTES)
                                                .putLong(9_000)
                                                .array());
                                state.put(Keys.replies(new SessionId(9_001), 0), closed);
                                return request;
                            },
                            RequestOrigin.SERVICE,
                            Increment.of(1),
                            null)
                    .join();
        }
        try (LoopHarness group = group(clock)) {
            assertTrue(group.recall(origin(9_001, 1, 0)).join().isEmpty(), "a flow is refused");
            increment(group, 8_000, 1);
            increment(group, 9_001, 1);
            try (StoreSnapshot snapshot = group.store().snapshot()) {
                assertNull(snapshot.view().get(floor));
            }
        }
    }

    /** What one request is answered, and what one with its number hears after a restart. */
    private String remembered(Operation<Draft, DirectorySlice, DirectorySlice> operation) throws TatamiException {
        DirectorySlice request = Increment.of(1);
        String first;
        try (LoopHarness group = new LoopHarness(directory)) {
            first = outcome(group.send(operation, origin(7, 1, 0), request, Increment.METHOD));
            assertEquals(first, outcome(group.send(operation, origin(7, 2, 0), request, Increment.METHOD)));
        }
        try (LoopHarness group = new LoopHarness(directory)) {
            assertTrue(records(group, 7) < 600_000, "a session keeps " + records(group, 7) + " bytes");
            return outcome(group.send(operation, origin(7, 1, 0), request, Increment.METHOD));
        }
    }

    private static long records(LoopHarness group, long session) throws TatamiException {
        byte[] from = Keys.replies(new SessionId(session));
        long bytes = 0;
        try (StoreSnapshot snapshot = group.store().snapshot();
                View.Cursor cursor = snapshot.view().scan(from, Keys.after(from))) {
            while (cursor.next()) {
                bytes += cursor.value().length;
            }
        }
        return bytes;
    }

    private static String outcome(CompletableFuture<DirectorySlice> answer) {
        return answer.handle((reply, thrown) -> thrown == null
                        ? "done, " + reply.getSerializedSize()
                        : Causes.of(thrown).code().toString())
                .join();
    }

    private static final String LONG = "n".repeat(3_900_000);

    @Test
    void longRefusalIsRememberedInAFewWords() throws TatamiException {
        String again = remembered((state, context, request) -> {
            throw new TatamiException(
                    ErrorCode.PATH_TOO_LONG,
                    "no such " + LONG,
                    new RefusalSubject.PathSubject(LONG),
                    new Detail.LinkTarget(LONG),
                    null);
        });
        assertEquals("PATH_TOO_LONG", again);
    }

    /** As releases before {@link io.tatami.protocol.RefusalFormat} wrote it. */
    @Test
    void aRefusalThatAnOlderReleaseRememberedIsToldWithItsDetail() throws TatamiException {
        RepliesRecord page = RepliesRecord.newBuilder()
                .addReply(ReplyRecord.newBuilder()
                        .setNumber(1)
                        .setMethod(Increment.METHOD.number())
                        .setError(ErrorCode.UNRESOLVED_LINK.number())
                        .setMessage("l is a symlink")
                        .setDetail("/else/where"))
                .build();
        Operation<Draft, DirectorySlice, DirectorySlice> write = (state, context, request) -> {
            state.put(Keys.replies(new SessionId(8), 0), page.toByteArray());
            return request;
        };
        try (LoopHarness group = new LoopHarness(directory)) {
            group.send(write, origin(7, 1, 0), Increment.of(1), Increment.METHOD)
                    .join();
        }
        try (LoopHarness group = new LoopHarness(directory)) {
            TatamiException again = failureOf(group.sendOnce(origin(8, 1, 0), Increment.of(1)));
            assertEquals(ErrorCode.UNRESOLVED_LINK, again.code());
            assertEquals("l is a symlink", again.getMessage());
            assertEquals(new Detail.LinkTarget("/else/where"), again.detail());
        }
    }

    @Test
    void aRememberedRefusalHasItsSubjectAndDetailAfterARestart() throws TatamiException {
        Operation<Draft, DirectorySlice, DirectorySlice> refuse = (state, context, request) -> {
            throw new TatamiException(
                    ErrorCode.PERMISSION_DENIED,
                    "f is not yours",
                    new RefusalSubject.EntrySubject(RefusalSubject.RequestDirectory.PARENT, "f"),
                    new Denial.OwnerOnly("eve"),
                    null);
        };
        try (LoopHarness group = new LoopHarness(directory)) {
            failureOf(group.send(refuse, origin(7, 1, 0), Increment.of(1), Increment.METHOD));
        }
        try (LoopHarness group = new LoopHarness(directory)) {
            TatamiException again = failureOf(group.sendOnce(origin(7, 1, 0), Increment.of(1)));
            assertEquals("f is not yours", again.getMessage());
            assertEquals(new RefusalSubject.EntrySubject(RefusalSubject.RequestDirectory.PARENT, "f"), again.subject());
            assertEquals(new Denial.OwnerOnly("eve"), again.detail());
        }
    }

    @Test
    void replyOfTheLongestKindIsRememberedWhole() throws TatamiException {
        DirectorySlice reply = filled(ReplyMemory.REPLY_BYTES_MAX);
        assertEquals("done, " + ReplyMemory.REPLY_BYTES_MAX, remembered((state, context, request) -> reply));
    }

    @Test
    void longerReplyIsRememberedAsDone() throws TatamiException {
        DirectorySlice reply = filled(ReplyMemory.REPLY_BYTES_MAX + 1);
        assertEquals("REPLY_EVICTED", remembered((state, context, request) -> reply));
    }

    /** A reply of a size of more than 16 KiB, in a field that means nothing. */
    private static DirectorySlice filled(int bytes) {
        return filled(bytes, bytes - 2 - 3);
    }

    private static DirectorySlice filled(int bytes, int fill) {
        DirectorySlice filled = DirectorySlice.newBuilder()
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                1_000,
                                UnknownFieldSet.Field.newBuilder()
                                        .addLengthDelimited(ByteString.copyFrom(new byte[fill]))
                                        .build())
                        .build())
                .build();
        assertEquals(bytes, filled.getSerializedSize());
        return filled;
    }

    /** Clients that never say what they have, with replies at the limit, beside one with small ones. */
    @Test
    void allRepliesTogetherAreBoundedAndThoseWhoHaveMostLoseTheirs() throws TatamiException {
        DirectorySlice reply = filled(ReplyMemory.REPLY_BYTES_MAX - 100);
        Operation<Draft, DirectorySlice, DirectorySlice> sameReply = (state, context, request) -> reply;
        int perSession = ReplyMemory.SESSION_BYTES_MAX / ReplyMemory.REPLY_BYTES_MAX;
        int sessions = ReplyMemory.BYTES_MAX / ReplyMemory.SESSION_BYTES_MAX + 20;
        try (LoopHarness group = new LoopHarness(directory)) {
            group.sendOnce(origin(7, 1, 0), Increment.of(1)).join();
            for (int session = 100; session < 100 + sessions; session++) {
                for (int number = 1; number <= perSession; number++) {
                    var unused = group.send(sameReply, origin(session, number, 0), reply, Increment.METHOD);
                }
                group.send(sameReply, origin(session, perSession + 1, 0), reply, Increment.METHOD)
                        .join();
            }
            long all = 0;
            for (int session = 100; session < 100 + sessions; session++) {
                long kept = records(group, session);
                assertTrue(kept <= ReplyMemory.SESSION_BYTES_MAX + 1_000, kept + " bytes of a session are kept");
                all += kept;
            }
            assertTrue(all <= ReplyMemory.BYTES_MAX, all + " bytes of replies are kept");
            assertEquals(
                    1,
                    group.sendOnce(origin(7, 1, 0), Increment.of(1)).join().getFiles(),
                    "a client of few bytes lost its reply");
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
        CompletableFuture<DirectorySlice> answer = group.sendOnce(origin(7, number, mark), Increment.of(1));
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
        CompletableFuture<Optional<DirectorySlice>> remembered = group.recall(origin(7, number, mark));
        boolean failed = remembered.handle((reply, thrown) -> thrown != null).join();
        if (failed) {
            assertTrue(number <= mark, number + " was forgotten above the mark " + mark);
            assertEquals(ErrorCode.REPLY_EVICTED, failureOf(remembered).code());
        } else {
            assertEquals(
                    Optional.ofNullable(replies.get(number)),
                    remembered.join().map(DirectorySlice::getFiles),
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
