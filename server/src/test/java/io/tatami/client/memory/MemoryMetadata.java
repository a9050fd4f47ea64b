package io.tatami.client.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.op.cluster.GiveCredits;
import io.tatami.meta.op.cluster.OpenSession;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.NoPeers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.cluster.StatusHandlers;
import io.tatami.meta.service.host.SteppedGroup;
import io.tatami.meta.service.tree.flow.TreeHandlers;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.GetClusterMapReply;
import io.tatami.protocol.wire.GiveCreditsRequest;
import io.tatami.protocol.wire.WidenDirectoryRequest;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.HandlerTable;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The metadata groups of a cluster: the real operations, flows and background tasks over {@link MemoryView}, all on one
 * thread. {@link Faults} stand between them and whoever asks, but for {@link #OBSERVER}. Every user is the superuser.
 */
public final class MemoryMetadata implements AutoCloseable {
    static final int SHARDS = 4;

    /** A user whose requests nothing befalls and nobody notes. */
    static final String OBSERVER = "observer";

    private static final int CREDITS = 1 << 20;
    private static final long PAUSE_MILLIS = 2;
    private static final Settings SETTINGS = Settings.of(Map.of("tatami.block.size.min", "1"));

    public final Faults faults = new Faults();
    private final Supplier<ClusterMap> map;
    private final List<FakeBlocks> blocks;
    private final HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("a key of the test's cluster"));
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(runnable -> new Thread(runnable, "groups"));

    /** What a test does between the arrival of a request and its answer. */
    private final ExecutorService actions = Executors.newCachedThreadPool();

    private final Map<GroupId, SteppedGroup> groups = new HashMap<>();
    private final List<MemoryView> stores = new ArrayList<>();
    private final ThreadedWork work = new ThreadedWork(thread);

    /** Calls between groups that are held back, and those whose replies are. Of the groups' thread. */
    private final Set<Method<?, ?>> heldBefore = new HashSet<>();

    private final Set<Method<?, ?>> heldAfter = new HashSet<>();

    private final List<Runnable> held = new ArrayList<>();

    /**
     * @param blocks the block servers, in the order of their ids
     * @param blockServers how many there will be; their ids begin with 1
     */
    MemoryMetadata(Supplier<ClusterMap> map, List<FakeBlocks> blocks, int blockServers) {
        this.map = map;
        this.blocks = blocks;
        onThread(() -> {
            for (int group = -1; group < SHARDS; group++) {
                open(group, blockServers);
            }
        });
    }

    /** Begins the groups' background work, for which the map is to be there. */
    void start() {
        onThread(() -> groups.values().forEach(SteppedGroup::start));
    }

    private void open(int number, int blockServers) {
        GroupRecord record =
                GroupRecord.newBuilder().setGroup(number).setShards(SHARDS).build();
        MemoryView store = new MemoryView();
        Draft format = new Draft(store);
        format.put(Keys.singleton("group"), record.toByteArray());
        for (int server = 1; number >= 0 && server <= blockServers; server++) {
            giveCredits(new ShardState(format), server);
        }
        store.apply(format);
        stores.add(store);
        SteppedGroup group = new SteppedGroup(store, record, new ThreadPeers(), signer, Clock.SYSTEM, SETTINGS, work);
        try {
            if (number >= 0) {
                group.addShardParts();
            } else {
                group.add(ClusterState::new, sessions());
                group.add(TreeState::new, new TreeHandlers(null));
                group.add(draft -> draft, new StatusHandlers(state -> false, group.figures()));
            }
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
        groups.put(new GroupId(number), group);
    }

    private static void giveCredits(ShardState state, int server) {
        GiveCreditsRequest gift = GiveCreditsRequest.newBuilder()
                .setServerId(server)
                .setSequence(1)
                .setBlocks(CREDITS)
                .build();
        var unused = new GiveCredits()
                .decide(
                        state,
                        new RequestContext(RequestOrigin.SERVICE.caller(), RequestOrigin.SERVICE.session(), 1),
                        gift);
    }

    /** The part of a namespace group without what servers ask of it. */
    private static GroupPart<ClusterState> sessions() {
        return (table, parts) -> table.write(
                        MetaMethods.OPEN_SESSION, new OpenSession(parts.signer().sessions()))
                .flow(
                        MetaMethods.CLOSE_SESSION,
                        (origin, request) -> CompletableFuture.completedFuture(Empty.getDefaultInstance()));
    }

    /** What a server is to serve. */
    HandlerTable table() {
        HandlerTable table = new HandlerTable();
        table.on(
                MetaMethods.GET_CLUSTER_MAP,
                (context, request, responder) -> responder.success(
                        GetClusterMapReply.newBuilder().setMap(map.get()).build()));
        methods().forEach(method -> serve(table, method));
        return table;
    }

    private static List<Method<?, ?>> methods() {
        List<Method<?, ?>> methods = new ArrayList<>();
        for (Field field : MetaMethods.class.getFields()) {
            try {
                if (field.get(null) instanceof Method<?, ?> method && !method.equals(MetaMethods.GET_CLUSTER_MAP)) {
                    methods.add(method);
                }
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
        return methods;
    }

    private <Q extends Message, R extends Message> void serve(HandlerTable table, Method<Q, R> method) {
        table.on(method, (context, request, responder) -> {
            var unused = answer(context, method, request).whenComplete((reply, thrown) -> {
                if (thrown == null) {
                    responder.success(reply);
                } else {
                    responder.failure(Causes.of(thrown));
                }
            });
        });
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> answer(
            CallContext context, Method<Q, R> method, Q request) {
        if (context.user().user().equals(OBSERVER)) {
            return decide(context, method, request);
        }
        Runnable before = faults.arrive(new Faults.Arrival(
                method.number(), context.session().value(), context.number(), context.lowWaterMark(), request));
        CompletableFuture<Void> ready =
                before == null ? CompletableFuture.completedFuture(null) : CompletableFuture.runAsync(before, actions);
        return ready.thenCompose(done -> {
            Faults.Fault fault = faults.next(method);
            return fault == null
                    ? decide(context, method, request)
                    : fault.befall(method, () -> decide(context, method, request));
        });
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> decide(
            CallContext context, Method<Q, R> method, Q request) {
        try {
            if (!context.session().equals(SessionId.NONE)) {
                signer.sessions().require(context.session(), context.user().user(), context.credential());
            }
        } catch (TatamiException e) {
            return CompletableFuture.failedFuture(e);
        }
        RequestOrigin origin = new RequestOrigin(
                new Caller(context.user().user(), List.of(), true),
                context.session(),
                context.session().equals(SessionId.NONE) ? 0 : context.number(),
                context.lowWaterMark(),
                context.hasDeadline() ? context.deadlineNanos() : RequestOrigin.NO_DEADLINE);
        return serve(Objects.requireNonNull(context.group()), method, origin, request);
    }

    /** On the groups' thread, from any. */
    private <R extends Message> CompletableFuture<R> serve(
            GroupId group, Method<?, R> method, RequestOrigin origin, Message request) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        thread.execute(() -> {
            try {
                var unused = Objects.requireNonNull(groups.get(group))
                        .serve(method, origin, request)
                        .whenComplete((reply, thrown) -> {
                            if (thrown == null) {
                                answer.complete(parsed(method, reply));
                            } else {
                                answer.completeExceptionally(Causes.of(thrown));
                            }
                        });
            } catch (RuntimeException e) {
                work.bug(e);
                answer.completeExceptionally(Causes.of(e));
            }
        });
        return answer;
    }

    /** A message as it is behind the wire. */
    static <R extends Message> R parsed(Method<?, R> method, Message reply) {
        try {
            return method.replyParser().parseFrom(reply.toByteString());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Divides a directory's entries over twice as many shards, and waits until each has its own. */
    void widen(long directory, int fromSpread) {
        WidenDirectoryRequest request = WidenDirectoryRequest.newBuilder()
                .setDirectoryId(directory)
                .setFromSpread(fromSpread)
                .build();
        WidenDirectoryRequest next =
                request.toBuilder().setFromSpread(2 * fromSpread).build();
        serve(GroupId.NAMESPACE, MetaMethods.WIDEN_DIRECTORY, RequestOrigin.SERVICE, request)
                .join();
        while (2 * fromSpread < SHARDS && isUnderWay(next)) {
            Thread.onSpinWait();
        }
    }

    private boolean isUnderWay(WidenDirectoryRequest request) {
        return serve(GroupId.NAMESPACE, MetaMethods.WIDEN_DIRECTORY, RequestOrigin.SERVICE, request)
                .join()
                .getUnderWay();
    }

    /** Waits until every message from one group to another was applied there. */
    void awaitOutboxes() {
        while (!CompletableFuture.supplyAsync(() -> stores.stream().allMatch(MemoryMetadata::hasEmptyOutbox), thread)
                .join()) {
            Thread.onSpinWait();
        }
    }

    private static boolean hasEmptyOutbox(MemoryView store) {
        try (View.Cursor cursor = store.scan(Keys.kind('o'), Keys.after(Keys.kind('o')))) {
            return !cursor.next();
        }
    }

    /** This method's calls between groups are held back, until {@link #release}. */
    void holdCalls(Method<?, ?> method) {
        onThread(() -> heldBefore.add(method));
    }

    /** The replies of this method's calls between groups are held back, until {@link #release}. */
    void holdReplies(Method<?, ?> method) {
        onThread(() -> heldAfter.add(method));
    }

    /** Whether a call or a reply is held back. */
    boolean holds() {
        return CompletableFuture.supplyAsync(() -> !held.isEmpty(), thread).join();
    }

    void release() {
        onThread(() -> {
            heldBefore.clear();
            heldAfter.clear();
            List<Runnable> released = List.copyOf(held);
            held.clear();
            released.forEach(Runnable::run);
        });
    }

    private void onThread(Runnable action) {
        CompletableFuture.runAsync(action, thread).join();
    }

    /** Fails where something threw what is no refusal. */
    @Override
    public void close() {
        actions.shutdownNow();
        thread.shutdownNow();
        try {
            assertEquals(true, thread.awaitTermination(1, TimeUnit.MINUTES), "the groups' thread ends");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        assertEquals(List.of(), work.bugs());
    }

    /** Calls between groups, tried again as servers do. Block servers answer what recoveries ask. */
    private final class ThreadPeers implements NoPeers {
        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> call(
                GroupId to, Method<Q, R> method, Q body, long timeoutMillis) {
            CompletableFuture<R> result = new CompletableFuture<>();
            attempt(
                    to,
                    method,
                    body,
                    Clock.SYSTEM.monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis),
                    result);
            return result;
        }

        private <R extends Message> void attempt(
                GroupId to, Method<?, R> method, Message body, long endNanos, CompletableFuture<R> result) {
            if (heldBefore.contains(method)) {
                held.add(() -> attempt(to, method, body, endNanos, result));
                return;
            }
            var unused = serve(to, method, RequestOrigin.SERVICE, body).whenComplete((reply, thrown) -> {
                if (thrown == null) {
                    tell(method, () -> result.complete(reply));
                    return;
                }
                boolean isAskedAgain = Causes.of(thrown).code().isRetryable()
                        && endNanos - Clock.SYSTEM.monotonicNanos() > TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);
                if (isAskedAgain) {
                    work.later(() -> attempt(to, method, body, endNanos, result), PAUSE_MILLIS);
                } else {
                    result.completeExceptionally(thrown);
                }
            });
        }

        private void tell(Method<?, ?> method, Runnable reply) {
            if (heldAfter.contains(method)) {
                held.add(reply);
            } else {
                reply.run();
            }
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> callBlockServer(
                ServerId to, Method<Q, R> method, Q body) {
            try {
                return CompletableFuture.completedFuture(
                        parsed(method, blocks.get(to.value() - 1).answer(method, body)));
            } catch (TatamiException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        @Override
        public ClusterMap map() {
            return map.get();
        }
    }
}
