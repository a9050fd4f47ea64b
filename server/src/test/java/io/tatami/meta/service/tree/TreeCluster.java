package io.tatami.meta.service.tree;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.op.Operation;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.move.MoveHandlers;
import io.tatami.meta.service.move.WideningSettings;
import io.tatami.meta.service.tree.flow.ShardTreeHandlers;
import io.tatami.meta.service.tree.flow.TreeHandlers;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A namespace group and its shards over stores in memory, with every call between them as encoded messages. What the
 * groups' stores hold survives {@link #restart}; nothing else does.
 */
public final class TreeCluster {
    static final int SHARDS = 4;

    /** No test leaves a task more to do; one that never rests would keep its test from ending. */
    private static final int RUNS_MAX = 10_000;

    /** Groups that do not answer. */
    final Set<GroupId> silent = ConcurrentHashMap.newKeySet();

    /** Told of each call before it is made. */
    volatile Consumer<Method<?, ?>> watcher = method -> {};

    /** Goes on by itself and by what a test adds. */
    final AheadClock clock = new AheadClock();

    final HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("a key of the test cluster"));
    private final Executor executor;
    private final Map<GroupId, MemoryView> stores = new HashMap<>();
    private final Map<GroupId, MemoryGroup<?>> groups = new ConcurrentHashMap<>();

    /** @param executor on which every call goes on; {@code Runnable::run} for one thing after another */
    TreeCluster(Executor executor) throws TatamiException {
        this.executor = executor;
        for (int group = -1; group < SHARDS; group++) {
            MemoryView store = new MemoryView();
            Draft draft = new Draft(store);
            draft.put(Keys.singleton("group"), record(new GroupId(group)).toByteArray());
            store.apply(draft);
            stores.put(new GroupId(group), store);
        }
        restart();
    }

    /** All processes end and start anew. */
    void restart() throws TatamiException {
        groups.clear();
        MemoryGroup<TreeState> namespace = open(GroupId.NAMESPACE, TreeState::new);
        new TreeHandlers(null).register(namespace, parts(namespace));
        for (int i = 0; i < SHARDS; i++) {
            MemoryGroup<ShardState> shard = open(GroupId.ofShard(i), ShardState::new);
            new ShardTreeHandlers().register(shard, parts(shard));
            new MoveHandlers().register(shard, parts(shard));
            new TestFiles(signer).register(shard);
        }
    }

    /** Does all background work that there is. */
    void rest() throws TatamiException {
        for (MemoryGroup<?> group : List.copyOf(groups.values())) {
            for (BackgroundTask task : group.tasks()) {
                runUntilItRests(task);
            }
        }
    }

    private static void runUntilItRests(BackgroundTask task) throws TatamiException {
        for (int i = 0; i < RUNS_MAX; i++) {
            if (!joined(task.run()).equals(Duration.ZERO)) {
                return;
            }
        }
        throw new AssertionError(task.getClass() + " still had more to do after " + RUNS_MAX + " runs");
    }

    <Q extends Message, R extends Message> R call(Caller caller, GroupId to, Method<Q, R> method, Q request)
            throws TatamiException {
        RequestOrigin origin =
                new RequestOrigin(caller, RequestOrigin.SERVICE.session(), 0, 0, RequestOrigin.NO_DEADLINE);
        return call(origin, to, method, request);
    }

    <Q extends Message, R extends Message> R call(RequestOrigin origin, GroupId to, Method<Q, R> method, Q request)
            throws TatamiException {
        return joined(send(origin, to, method, request));
    }

    /** Has {@code reader} called after each read of the tree is decided, and before anybody has the answer. */
    void afterReads(Consumer<Operation<?, ?, ?>> reader) {
        Objects.requireNonNull(groups.get(GroupId.NAMESPACE)).afterReads(reader);
    }

    /** How many requests changed a group, or are remembered by it, since it was opened. */
    long logged(GroupId group) {
        return Objects.requireNonNull(groups.get(group)).logged();
    }

    /** Lets {@code reader} see the tree as it is stored. */
    void readTree(Consumer<TreeState> reader) {
        MemoryView store = store(GroupId.NAMESPACE);
        synchronized (store) {
            reader.accept(new TreeState(new Draft(store)));
        }
    }

    /** Lets {@code reader} see a shard as it is stored. */
    void readShard(GroupId shard, Consumer<ShardState> reader) {
        MemoryView store = store(shard);
        synchronized (store) {
            reader.accept(new ShardState(new Draft(store)));
        }
    }

    static <T> T joined(CompletableFuture<T> future) throws TatamiException {
        try {
            return future.join();
        } catch (RuntimeException e) {
            TatamiException failure = Causes.of(e);
            throw failure.again();
        }
    }

    private MemoryView store(GroupId group) {
        return Objects.requireNonNull(stores.get(group));
    }

    private <S> MemoryGroup<S> open(GroupId id, Function<Draft, S> state) {
        MemoryGroup<S> group = new MemoryGroup<>(id, store(id), state);
        groups.put(id, group);
        return group;
    }

    private <S> PartContext<S> parts(MemoryGroup<S> group) {
        Settings settings = Settings.of(Map.of(
                TreeSettings.ROOT_OWNER.key(),
                "root",
                WideningSettings.ENTRIES.key(),
                Integer.toString(Arrivals.GROWTH_STEP),
                WideningSettings.ON_ONE_SERVER.key(),
                "true"));
        return new PartContext<>(group, record(group.id()), new LoopPeers(), signer, clock, settings);
    }

    private static GroupRecord record(GroupId id) {
        return GroupRecord.newBuilder()
                .setGroup(id.value())
                .setShards(SHARDS)
                .setRestoreEpoch(1)
                .build();
    }

    /** Sends, and leaves the waiting for later. */
    <Q extends Message, R extends Message> CompletableFuture<R> send(
            RequestOrigin origin, GroupId to, Method<Q, R> method, Q request) {
        watcher.accept(method);
        MemoryGroup<?> group = groups.get(to);
        if (group == null || silent.contains(to)) {
            return Failures.failed(ErrorCode.UNAVAILABLE, to + " does not answer");
        }
        return CompletableFuture.completedFuture(request.toByteString())
                .thenComposeAsync(bytes -> group.serve(origin, method.number(), bytes), executor)
                .thenApply(bytes -> MemoryGroup.parsed(method.replyParser(), bytes));
    }

    /** The machine's clock, but for the time that a test does not wait for. */
    public static final class AheadClock implements Clock {
        private final AtomicLong aheadNanos = new AtomicLong();

        public void goAhead(Duration time) {
            aheadNanos.addAndGet(time.toNanos());
        }

        @Override
        public long wallMillis() {
            return SYSTEM.wallMillis() + Duration.ofNanos(aheadNanos.get()).toMillis();
        }

        @Override
        public long monotonicNanos() {
            return SYSTEM.monotonicNanos() + aheadNanos.get();
        }
    }

    private final class LoopPeers implements GroupPeers {
        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> call(
                GroupId to, Method<Q, R> method, Q body, long timeoutMillis) {
            return send(RequestOrigin.SERVICE, to, method, body);
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> callBlockServer(
                ServerId to, Method<Q, R> method, Q body) {
            return Failures.failed(ErrorCode.UNAVAILABLE, "there are no block servers");
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> callMetadataServer(
                Endpoint to, Method<Q, R> method, Q body, long timeoutMillis) {
            return Failures.failed(ErrorCode.UNAVAILABLE, "there are no other metadata servers");
        }

        @Override
        public ClusterMap map() {
            return ClusterMap.getDefaultInstance();
        }
    }
}
