package io.tatami.meta.service.host;

import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.log.CommitLog;
import io.tatami.meta.log.SimulatedLog;
import io.tatami.meta.log.local.LocalLog;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException.Question;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.lead.GroupLoop;
import io.tatami.meta.service.lead.GroupObserver;
import io.tatami.meta.service.lead.Pending;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import io.tatami.meta.store.StoreSettings;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.DirectorySlice;
import io.tatami.rpc.GroupThread;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A group's loop over a real store, whose commits and clock a test holds in its hands. */
public final class LoopHarness implements AutoCloseable {
    private static final EventLoops LOOPS = loops();

    /** Monotonic time that only the test moves. */
    public static final class TestClock implements Clock {
        public final AtomicLong nanos = new AtomicLong(1);

        @Override
        public long wallMillis() {
            return nanos.get() / 1_000_000;
        }

        @Override
        public long monotonicNanos() {
            return nanos.get();
        }
    }

    public final TestClock clock;
    public final SimulatedLog log;
    public final GroupLoop loop;
    private final GroupThread thread;
    private final StoreMemory memory;
    private final GroupStore store;

    /** How many reads were not decided at once, but handed on. */
    public final AtomicInteger handedOn = new AtomicInteger();

    public LoopHarness(Path directory) throws TatamiException {
        this(directory, new TestClock(), question -> CompletableFuture.completedFuture(null));
    }

    /** @param readers on which it reads what is not decided at once */
    public LoopHarness(Path directory, Executor readers) throws TatamiException {
        this(directory, new TestClock(), question -> CompletableFuture.completedFuture(null), readers);
    }

    public LoopHarness(Path directory, TestClock clock, Function<Question, CompletableFuture<Void>> settlers)
            throws TatamiException {
        this(directory, clock, settlers, Runnable::run);
    }

    private LoopHarness(
            Path directory, TestClock clock, Function<Question, CompletableFuture<Void>> settlers, Executor readers)
            throws TatamiException {
        this.clock = clock;
        this.memory = new StoreMemory(StoreSettings.from(Settings.defaults()));
        Path path = directory.resolve("store");
        this.store = Files.exists(path) ? GroupStore.open(path, memory) : GroupStore.create(path, memory);
        this.log = new SimulatedLog(log(path, store));
        this.thread = LOOPS.newGroupThread("group-of-a-test");
        this.loop = loop(thread, store, log, clock, settlers, read -> {
            handedOn.incrementAndGet();
            readers.execute(read);
        });
    }

    public static LocalLog log(Path path, GroupStore store) throws TatamiException {
        return new LocalLog(new LocalLog.Location(path, new UUID(1, 1), GroupId.ofShard(0)), store, 64 << 10);
    }

    public static GroupLoop loop(
            GroupStore store, CommitLog log, Clock clock, Function<Question, CompletableFuture<Void>> settlers) {
        return loop(LOOPS.newGroupThread("group-of-a-test"), store, log, clock, settlers, Runnable::run);
    }

    private static GroupLoop loop(
            GroupThread thread,
            GroupStore store,
            CommitLog log,
            Clock clock,
            Function<Question, CompletableFuture<Void>> settlers,
            Executor readers) {
        return new GroupLoop(
                GroupId.ofShard(0),
                thread,
                store,
                log,
                clock,
                ClusterMap::getDefaultInstance,
                readers,
                settlers,
                committed -> {},
                GroupObserver.NONE);
    }

    private static EventLoops loops() {
        try {
            return new EventLoops("test", RpcSettings.from(Settings.defaults()));
        } catch (TatamiException e) {
            throw new AssertionError(e);
        }
    }

    public GroupStore store() {
        return store;
    }

    public static RequestOrigin origin(long session, long number, long lowWaterMark) {
        return new RequestOrigin(
                new Caller("ann", List.of(), false),
                new SessionId(session),
                number,
                lowWaterMark,
                RequestOrigin.NO_DEADLINE);
    }

    /** Sends a request that need not be remembered. */
    public CompletableFuture<DirectorySlice> send(DirectorySlice request) {
        return send(new Increment(), RequestOrigin.SERVICE, request, null);
    }

    public CompletableFuture<DirectorySlice> sendOnce(RequestOrigin origin, DirectorySlice request) {
        return send(new Increment(), origin, request, Increment.METHOD);
    }

    /** What is remembered of a request that {@link #sendOnce} sent; on the caller's thread. */
    public CompletableFuture<Optional<DirectorySlice>> recall(RequestOrigin origin) {
        return loop.recall(Increment.METHOD, origin);
    }

    public CompletableFuture<DirectorySlice> send(
            Operation<Draft, DirectorySlice, DirectorySlice> operation,
            RequestOrigin origin,
            DirectorySlice request,
            @Nullable Method<DirectorySlice, DirectorySlice> method) {
        Pending<Draft, DirectorySlice, DirectorySlice> pending =
                new Pending<>(Function.identity(), operation, origin, request, method);
        loop.submit(pending);
        return pending.future();
    }

    public CompletableFuture<DirectorySlice> read(
            Operation<Draft, DirectorySlice, DirectorySlice> operation, DirectorySlice request) {
        return read(operation, RequestOrigin.SERVICE, request);
    }

    public CompletableFuture<DirectorySlice> read(
            Operation<Draft, DirectorySlice, DirectorySlice> operation, RequestOrigin origin, DirectorySlice request) {
        Pending<Draft, DirectorySlice, DirectorySlice> pending =
                new Pending<>(Function.identity(), operation, origin, request, null);
        loop.read(pending);
        return pending.future();
    }

    /** Does something on the group's thread, between two batches. */
    public <T> T onThread(Supplier<CompletableFuture<T>> work) {
        return CompletableFuture.completedFuture(null)
                .thenComposeAsync(none -> work.get(), thread)
                .join();
    }

    public static TatamiException failureOf(CompletableFuture<?> future) {
        try {
            future.join();
        } catch (CompletionException e) {
            return Causes.of(e);
        }
        throw new AssertionError("it did not fail");
    }

    @Override
    public void close() {
        loop.close();
        log.close();
        store.close();
        memory.close();
    }
}
