package io.tatami.meta.service.lead;

import static io.tatami.meta.service.host.LoopHarness.failureOf;
import static io.tatami.meta.service.host.LoopHarness.origin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.Causes;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.UnsettledException.MarkerInDoubt;
import io.tatami.meta.service.GroupStoppedException;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.host.Increment;
import io.tatami.meta.service.host.LoopHarness;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeVersion;
import io.tatami.meta.state.View;
import io.tatami.protocol.wire.DirectorySlice;
import io.tatami.rpc.RequestScope;
import io.tatami.rpc.RequestScope.Station;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GroupLoopTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void whatArrivesWhileABatchIsFlushedIsOneBatch() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            group.log.hold();
            List<CompletableFuture<DirectorySlice>> answers = new ArrayList<>();
            answers.add(group.send(Increment.of(1)));
            group.log.awaitCommit();
            for (int i = 0; i < 100; i++) {
                answers.add(group.send(Increment.of(1)));
            }
            assertTrue(answers.stream().noneMatch(CompletableFuture::isDone), "answered before it was durable");
            group.log.release();
            for (int i = 0; i < answers.size(); i++) {
                assertEquals(i + 1, answers.get(i).join().getFiles(), "each sees those before it");
            }
            assertEquals(List.of(1L, 2L), group.log.indexes());
        }
    }

    @Test
    void aChangesTimeIsThatFromItsArrivalUntilItIsDurable() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(0, group.loop.changeMicrosP99());
            group.log.hold();
            CompletableFuture<DirectorySlice> first = group.send(Increment.of(1));
            group.log.awaitCommit();
            CompletableFuture<DirectorySlice> second = group.send(Increment.of(1));
            group.clock.nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(40));
            group.log.release();
            assertEquals(1, first.join().getFiles());
            assertEquals(2, second.join().getFiles());
            long micros = group.loop.changeMicrosP99();
            assertTrue(micros >= 40_000 && micros <= 45_000, () -> "told " + micros);
            group.clock.nanos.addAndGet(TimeUnit.MINUTES.toNanos(2));
            assertEquals(0, group.loop.changeMicrosP99());
        }
    }

    @Test
    void readsAndRefusalsAreNoChanges() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            DirectorySlice nothing = Increment.of(0);
            assertSame(
                    nothing,
                    group.read((state, context, request) -> request, nothing).join());
            assertEquals(
                    ErrorCode.NOT_FOUND,
                    failureOf(group.send(
                                    Increment.of(1).toBuilder().setBytes(-1).build()))
                            .code());
            assertEquals(0, group.loop.changeMicrosP99());
        }
    }

    @Test
    void failuresAreAnsweredOnlyAfterWhatTheySawIsDurable() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            group.log.hold();
            CompletableFuture<DirectorySlice> first = group.send(Increment.of(1));
            group.log.awaitCommit();
            CompletableFuture<DirectorySlice> changing = group.send(Increment.of(1));
            CompletableFuture<DirectorySlice> refused =
                    group.send(Increment.of(1).toBuilder().setBytes(-1).build());
            assertFalse(refused.isDone());
            group.log.release();
            assertEquals(1, first.join().getFiles());
            assertEquals(2, changing.join().getFiles());
            assertEquals("refused at 3", failureOf(refused).getMessage());
            assertEquals(3, group.send(Increment.of(1)).join().getFiles(), "the refused one left something");
        }
    }

    @Test
    void aBugInAnOperationIsToldAndLeavesNothing() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            CompletableFuture<DirectorySlice> bug =
                    group.send(Increment.of(1).toBuilder().setFiles(-1).build());
            assertEquals(ErrorCode.INTERNAL, failureOf(bug).code());
            assertEquals(1, group.send(Increment.of(1)).join().getFiles());
        }
    }

    @Test
    void aRetryGetsTheSameReplyAlsoAfterARestart() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(
                    1, group.sendOnce(origin(7, 1, 0), Increment.of(1)).join().getFiles());
            assertEquals(
                    1, group.sendOnce(origin(7, 1, 0), Increment.of(1)).join().getFiles());
            assertEquals(
                    2, group.sendOnce(origin(7, 2, 0), Increment.of(1)).join().getFiles());
        }
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(
                    1, group.sendOnce(origin(7, 1, 0), Increment.of(1)).join().getFiles());
            assertEquals(
                    3, group.sendOnce(origin(8, 1, 0), Increment.of(1)).join().getFiles(), "another session");
        }
    }

    @Test
    void whetherAReplyIsRememberedIsToldByWhoAsksUnlessThatWouldHaveToWait() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(
                    1, group.sendOnce(origin(7, 1, 0), Increment.of(1)).join().getFiles());
            assertEquals(1, group.recall(origin(7, 1, 0)).join().orElseThrow().getFiles());
            assertTrue(group.recall(origin(7, 2, 0)).join().isEmpty());
            assertEquals(0, group.handedOn.get());
            // What has just been written into a table is not in the cache of tables.
            group.store().flush();
            assertEquals(1, group.recall(origin(7, 1, 0)).join().orElseThrow().getFiles());
            assertEquals(1, group.handedOn.get());
        }
    }

    @Test
    void aRetryInTheSameBatchIsDoneOnce() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            group.log.hold();
            CompletableFuture<DirectorySlice> other = group.send(Increment.of(2));
            group.log.awaitCommit();
            CompletableFuture<DirectorySlice> first = group.sendOnce(origin(7, 1, 0), Increment.of(1));
            CompletableFuture<DirectorySlice> second = group.sendOnce(origin(7, 1, 0), Increment.of(1));
            group.log.release();
            assertEquals(1, other.join().getFiles());
            assertEquals(1, first.join().getFiles());
            assertEquals(1, second.join().getFiles());
        }
    }

    @Test
    void aRefusalForGoodIsRememberedWithItsWords() throws TatamiException {
        DirectorySlice refused = Increment.of(1).toBuilder().setBytes(-1).build();
        try (LoopHarness group = new LoopHarness(directory)) {
            TatamiException first = failureOf(group.sendOnce(origin(7, 1, 0), refused));
            assertEquals(1, group.send(Increment.of(1)).join().getFiles());
            TatamiException second = failureOf(group.sendOnce(origin(7, 1, 0), refused));
            assertEquals(first.getMessage(), second.getMessage());
            assertEquals(ErrorCode.NOT_FOUND, second.code());
        }
    }

    @Test
    void aNumberUsedForAnotherMethodIsRefusedAndTheFirstReplyStays() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(
                    1, group.sendOnce(origin(7, 1, 0), Increment.of(1)).join().getFiles());
            TatamiException other =
                    failureOf(group.send(new Increment(), origin(7, 1, 0), Increment.of(1), Increment.OTHER_METHOD));
            assertEquals(ErrorCode.INVALID_ARGUMENT, other.code());
            assertEquals(
                    1, group.sendOnce(origin(7, 1, 0), Increment.of(1)).join().getFiles());
        }
    }

    @Test
    void aFullQueueTellsBusy() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            group.log.hold();
            CompletableFuture<DirectorySlice> first = group.send(Increment.of(1));
            group.log.awaitCommit();
            List<CompletableFuture<DirectorySlice>> waiting = new ArrayList<>();
            CompletableFuture<DirectorySlice> last = first;
            while (!last.isCompletedExceptionally()) {
                last = group.send(Increment.of(1));
                waiting.add(last);
            }
            assertEquals(ErrorCode.BUSY, failureOf(last).code());
            group.log.release();
            assertEquals(waiting.size(), waiting.get(waiting.size() - 2).join().getFiles());
        }
    }

    @Test
    void aRequestWhoseDeadlinePassedIsNotBegun() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            RequestOrigin late = new RequestOrigin(
                    new Caller("ann", List.of(), false), SessionId.NONE, 0, 0, group.clock.monotonicNanos() - 1);
            assertEquals(
                    ErrorCode.DEADLINE_EXCEEDED,
                    failureOf(group.send(new Increment(), late, Increment.of(1), null))
                            .code());
            assertEquals(1, group.send(Increment.of(1)).join().getFiles());
        }
    }

    @Test
    void aFailedCommitStopsTheGroupAndNothingOfItIsThereAfterwards() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(
                    1, group.sendOnce(origin(7, 1, 0), Increment.of(1)).join().getFiles());
            group.log.fail();
            assertEquals(
                    ErrorCode.UNAVAILABLE,
                    failureOf(group.sendOnce(origin(7, 2, 0), Increment.of(1))).code());
            assertEquals(
                    ErrorCode.UNAVAILABLE,
                    failureOf(group.send(Increment.of(1))).code());
            assertNotNull(group.loop.failure());
        }
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(
                    2, group.sendOnce(origin(7, 2, 0), Increment.of(1)).join().getFiles());
        }
    }

    @Test
    void whatWasDecidedOnAFailedCommitFailsWithIt() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            group.log.hold();
            CompletableFuture<DirectorySlice> lost = group.send(Increment.of(1));
            group.log.awaitCommit();
            CompletableFuture<DirectorySlice> onTop = group.send(Increment.of(1));
            CompletableFuture<DirectorySlice> refused =
                    group.send(Increment.of(1).toBuilder().setBytes(-1).build());
            group.log.fail();
            group.log.release();
            for (CompletableFuture<DirectorySlice> each : List.of(lost, onTop, refused)) {
                assertEquals(ErrorCode.UNAVAILABLE, failureOf(each).code());
            }
        }
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(1, group.send(Increment.of(1)).join().getFiles(), "something of them is there");
        }
    }

    @Test
    void aRequestInDoubtIsParkedWithoutHoldingUpOthersAndThenDecidedAnew() throws TatamiException {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        Operation<Draft, DirectorySlice, DirectorySlice> doubting = (state, context, request) -> {
            if (!context.settled().contains(new TreeVersion(7))) {
                throw new UnsettledException(
                        new MarkerInDoubt(DirectoryId.ROOT, "x", new DirectoryId(5), new TreeVersion(7)));
            }
            return new Increment().decide(state, context, request);
        };
        try (LoopHarness group = new LoopHarness(directory, new LoopHarness.TestClock(), question -> answer.copy())) {
            CompletableFuture<DirectorySlice> parked =
                    group.send(doubting, origin(7, 1, 0), Increment.of(1), Increment.METHOD);
            assertEquals(1, group.send(Increment.of(1)).join().getFiles());
            assertFalse(parked.isDone());
            answer.complete(null);
            assertEquals(2, parked.join().getFiles());
        }
    }

    @Test
    void readsSeeWhatWasAnsweredAndMustNotChangeAnything() throws TatamiException {
        Operation<Draft, DirectorySlice, DirectorySlice> look =
                (Draft state, RequestContext context, DirectorySlice request) -> {
                    Draft copy = new Draft(state);
                    return new Increment().decide(copy, context, request);
                };
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(1, group.send(Increment.of(1)).join().getFiles());
            assertEquals(2, group.read(look, Increment.of(1)).join().getFiles());
            assertEquals(2, group.read(look, Increment.of(1)).join().getFiles());
            assertEquals(
                    ErrorCode.INTERNAL,
                    failureOf(group.read(new Increment(), Increment.of(1))).code());
        }
    }

    @Test
    void aClientsReadIsDecidedByWhoBringsItUnlessThatWouldHaveToWait() throws TatamiException {
        Operation<Draft, DirectorySlice, DirectorySlice> look =
                (state, context, request) -> new Increment().decide(new Draft(state), context, request);
        Operation<Draft, DirectorySlice, DirectorySlice> walk = (state, context, request) -> {
            try (View.Cursor all = state.scan(new byte[] {0}, new byte[] {(byte) 0xff})) {
                return Increment.of(all.next() ? 1 : 0);
            }
        };
        try (LoopHarness group = new LoopHarness(directory)) {
            RequestOrigin client = origin(7, 0, 0);
            assertEquals(1, group.send(Increment.of(1)).join().getFiles());
            assertEquals(2, group.read(look, client, Increment.of(1)).join().getFiles());
            assertEquals(0, group.handedOn.get());
            assertEquals(1, group.read(walk, client, Increment.of(1)).join().getDirectoryId());
            assertEquals(1, group.handedOn.get());
            assertEquals(2, group.read(look, client, Increment.of(1)).join().getFiles());
            assertEquals(1, group.handedOn.get());
            // What has just been written into a table is not in the cache of tables.
            group.store().flush();
            int tries = 0;
            for (int before = 1; group.handedOn.get() == before; before++) {
                assertEquals(2, group.read(look, client, Increment.of(1)).join().getFiles());
                tries++;
                assertTrue(tries < 100, "reads are not tried in memory again after one that was in vain");
            }
            assertTrue(tries > 1);
            int handedOn = group.handedOn.get();
            assertEquals(2, group.read(look, Increment.of(1)).join().getFiles());
            assertEquals(handedOn + 1, group.handedOn.get(), "a flow of the service's goes on elsewhere");
        }
    }

    @Test
    void theGroupsThreadReadsWhatItsBatchesLeftWithoutTheStore() throws TatamiException {
        Operation<Draft, DirectorySlice, DirectorySlice> look =
                (state, context, request) -> new Increment().decide(new Draft(state), context, request);
        RequestOrigin client = origin(7, 2, 0);
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(
                    1, group.sendOnce(origin(7, 1, 0), Increment.of(1)).join().getFiles());
            // What has just been written into a table is not in the cache of tables.
            group.store().flush();
            assertEquals(
                    2,
                    group.onThread(() -> group.read(look, client, Increment.of(1)))
                            .getFiles());
            assertEquals(
                    1,
                    group.onThread(() -> group.recall(origin(7, 1, 0)))
                            .orElseThrow()
                            .getFiles());
            assertTrue(group.onThread(() -> group.recall(client)).isEmpty());
            assertEquals(0, group.handedOn.get());
            assertEquals(2, group.read(look, client, Increment.of(1)).join().getFiles());
            assertEquals(1, group.handedOn.get());
        }
    }

    @Test
    void afterAFailedCommitNothingIsReadAndNoReplyIsRecalled() throws TatamiException {
        Operation<Draft, DirectorySlice, DirectorySlice> look =
                (state, context, request) -> new Increment().decide(new Draft(state), context, request);
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(
                    1, group.sendOnce(origin(7, 1, 0), Increment.of(1)).join().getFiles());
            group.log.fail();
            assertTrue(failureOf(group.send(Increment.of(1))) instanceof GroupStoppedException);
            for (RequestOrigin origin : List.of(RequestOrigin.SERVICE, origin(7, 1, 0))) {
                assertTrue(failureOf(group.read(look, origin, Increment.of(1))) instanceof GroupStoppedException);
                assertTrue(failureOf(group.recall(origin)) instanceof GroupStoppedException);
            }
            Throwable onThread = group.onThread(() -> group.read(look, origin(7, 2, 0), Increment.of(1))
                    .handle((reply, thrown) -> Causes.unwrapped(thrown)));
            assertTrue(onThread instanceof GroupStoppedException);
        }
    }

    @Test
    void aReadUnderWayEndsBeforeTheGroupIsClosed() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Operation<Draft, DirectorySlice, DirectorySlice> slow = (state, context, request) -> {
            begun.countDown();
            awaitUninterrupted(mayEnd);
            return new Increment().decide(new Draft(state), context, request);
        };
        CompletableFuture<DirectorySlice> late;
        try (LoopHarness group = new LoopHarness(directory)) {
            CompletableFuture<DirectorySlice> read = CompletableFuture.supplyAsync(
                    () -> group.read(slow, Increment.of(1)).join());
            assertTrue(begun.await(60, TimeUnit.SECONDS));
            Thread closing = new Thread(group.loop::close, "closing");
            closing.start();
            while (Arrays.stream(closing.getStackTrace())
                    .noneMatch(frame -> frame.getClassName().equals(SnapshotReads.class.getName()))) {
                assertTrue(closing.isAlive(), "closed while a read is under way");
                Thread.onSpinWait();
            }
            mayEnd.countDown();
            assertEquals(1, read.get(60, TimeUnit.SECONDS).getFiles());
            closing.join();
            late = group.read(slow, Increment.of(1));
        }
        assertEquals(ErrorCode.UNAVAILABLE, failureOf(late).code());
        // Its store was closed for good: it can be opened again.
        try (LoopHarness group = new LoopHarness(directory)) {
            assertEquals(1, group.send(Increment.of(1)).join().getFiles());
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void logTimeNeverFallsThoughTheClockDoes() throws TatamiException {
        Operation<Draft, DirectorySlice, DirectorySlice> time = (state, context, request) -> {
            new Increment().decide(state, context, request);
            return DirectorySlice.newBuilder()
                    .setLastChangeMillis(context.nowMillis())
                    .build();
        };
        try (LoopHarness group = new LoopHarness(directory)) {
            group.clock.nanos.set(5_000_000_000L);
            assertEquals(
                    5_000,
                    group.send(time, RequestOrigin.SERVICE, Increment.of(1), null)
                            .join()
                            .getLastChangeMillis());
            group.clock.nanos.set(1_000_000_000L);
            assertEquals(
                    5_000,
                    group.send(time, RequestOrigin.SERVICE, Increment.of(1), null)
                            .join()
                            .getLastChangeMillis());
        }
        LoopHarness.TestClock earlier = new LoopHarness.TestClock();
        try (LoopHarness group =
                new LoopHarness(directory, earlier, question -> CompletableFuture.completedFuture(null))) {
            assertEquals(
                    5_000,
                    group.send(time, RequestOrigin.SERVICE, Increment.of(1), null)
                            .join()
                            .getLastChangeMillis());
        }
    }

    private static Operation<Draft, DirectorySlice, DirectorySlice> putting(int bytes) {
        return (state, context, request) -> {
            state.put(Keys.entry(new DirectoryId(1), "of-" + request.getFiles()), new byte[bytes]);
            return request;
        };
    }

    @Test
    void requestWhoseRecordTheLogCannotTakeIsRefusedBeforeItAndTheGroupGoesOn() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            DirectorySlice request = Increment.of(1);
            int commits = group.log.indexes().size();
            TatamiException refused = LoopHarness.failureOf(
                    group.send(putting(ChangeLimits.RECORD_BYTES_MAX), RequestOrigin.SERVICE, request, null));
            assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
            Operation<Draft, DirectorySlice, DirectorySlice> many = (state, context, same) -> {
                for (int i = 0; i <= ChangeLimits.REQUEST_BYTES_MAX / 1_000_000; i++) {
                    state.put(Keys.entry(new DirectoryId(2), "of-" + i), new byte[1_000_000]);
                }
                return same;
            };
            assertEquals(
                    ErrorCode.INVALID_ARGUMENT,
                    LoopHarness.failureOf(group.send(many, RequestOrigin.SERVICE, request, null))
                            .code());
            assertEquals(commits, group.log.indexes().size());
            group.send(putting(ChangeLimits.RECORD_BYTES_MAX - 100), RequestOrigin.SERVICE, request, null)
                    .join();
            assertEquals(commits + 1, group.log.indexes().size());
        }
    }

    @Test
    void requestsThatChangeMuchAreSeveralBatchesAndAllAreAnswered() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            group.log.hold();
            CompletableFuture<DirectorySlice> first = group.send(Increment.of(1));
            group.log.awaitCommit();
            int commits = group.log.indexes().size();
            List<CompletableFuture<DirectorySlice>> sent = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                sent.add(group.send(
                        putting(1 << 20),
                        RequestOrigin.SERVICE,
                        DirectorySlice.newBuilder().setFiles(i).build(),
                        null));
            }
            group.log.release();
            first.join();
            for (int i = 0; i < 10; i++) {
                assertEquals(i, sent.get(i).join().getFiles());
            }
            assertEquals(commits + 1 + 3, group.log.indexes().size(), "batches of four, four and two");
        }
    }

    /** A request that notes where its time went, and who worked for it. */
    private static final class Noted extends RequestScope {
        private final Map<Station, Long> spent = new EnumMap<>(Station.class);

        @Override
        public ByteString traceparent() {
            return ByteString.EMPTY;
        }

        @Override
        public ByteString callerContext() {
            return ByteString.EMPTY;
        }

        @Override
        public void spent(Station station, long nanos) {
            spent.merge(station, nanos, Long::sum);
        }

        @Override
        public void called(String method, SocketAddress server, long tookNanos) {}
    }

    @Test
    void aRequestsTimeIsNotedByStationAndItsAnswerIsGivenInItsScope() throws TatamiException {
        try (LoopHarness group = new LoopHarness(directory)) {
            Noted request = new Noted();
            group.log.hold();
            RequestScope before = RequestScope.enter(request);
            CompletableFuture<RequestScope> answeredIn;
            try {
                answeredIn = group.send(Increment.of(1)).thenApply(reply -> RequestScope.current());
            } finally {
                RequestScope.leave(before);
            }
            CompletableFuture<RequestScope> other =
                    group.send(Increment.of(1)).thenApply(reply -> RequestScope.current());
            group.log.awaitCommit();
            group.log.release();
            assertSame(request, answeredIn.join());
            assertNull(other.join());
            assertEquals(EnumSet.allOf(Station.class), request.spent.keySet());
            assertTrue(request.spent.values().stream().allMatch(nanos -> nanos >= 0), request.spent::toString);
        }
    }
}
