package io.tatami.copies;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.tatami.base.BlockId;
import io.tatami.base.Causes;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.op.cluster.GiveCredits;
import io.tatami.meta.op.cluster.OpenSession;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.copies.CopySettings;
import io.tatami.meta.service.file.FileSettings;
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
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.GetClusterMapReply;
import io.tatami.protocol.wire.GiveCreditsRequest;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.HandlerTable;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The namespace group and one shard, in one process: the real operations, flows and background tasks over stores in
 * memory. A process that ends loses what was not committed, and what leaders keep in memory. Every user is the
 * superuser.
 */
final class SimMetadata {
    static final InetSocketAddress ADDRESS = InetSocketAddress.createUnresolved("metadata", 9470);
    static final GroupId SHARD = new GroupId(0);

    private static final int CREDITS = 1 << 20;
    private static final long JOIN_PAUSE_NANOS = 1_000_000_000;
    private static final Settings SETTINGS = Settings.of(Map.of(
            FileSettings.BLOCK_SIZE_MIN.key(), "1",
            FileSettings.LEASE_SOFT_LIMIT.key(), "5s",
            FileSettings.LEASE_HARD_LIMIT.key(), "10s",
            CopySettings.LOST_AFTER.key(), "5s"));

    private final CopiesWorld world;
    private final HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("a key of the simulation"));
    private final Map<GroupId, MemoryView> stores = new HashMap<>();
    private final List<Method<?, ?>> methods = methods();
    private Map<GroupId, SteppedGroup> groups = Map.of();
    private long gifts = 1;

    SimMetadata(CopiesWorld world, List<SimServer> servers) {
        this.world = world;
        for (GroupId group : List.of(GroupId.NAMESPACE, SHARD)) {
            MemoryView store = new MemoryView();
            Draft format = new Draft(store);
            format.put(Keys.singleton("group"), record(group).toByteArray());
            if (group.equals(SHARD)) {
                servers.forEach(server -> giveCredits(new ShardState(format), server));
            }
            store.apply(format);
            stores.put(group, store);
        }
    }

    private static GroupRecord record(GroupId group) {
        return GroupRecord.newBuilder().setGroup(group.value()).setShards(1).build();
    }

    private static void giveCredits(ShardState state, SimServer server) {
        GiveCreditsRequest gift = GiveCreditsRequest.newBuilder()
                .setServerId(server.id().value())
                .setSequence(1)
                .setBlocks(CREDITS)
                .build();
        RequestOrigin service = RequestOrigin.SERVICE;
        var unused = new GiveCredits().decide(state, new RequestContext(service.caller(), service.session(), 1), gift);
    }

    /** What is durable of a file that has blocks; the last one may be open. Empty where the shard knows none. */
    List<BlockRecord> blocks(FileId file) {
        ShardState state = shard();
        HomeRecord home = state.home(file);
        return home == null ? List.of() : state.blocks(file, home);
    }

    /** Whether the file is written, or waits for its recovery; the record of an empty one does not tell. */
    boolean isOpen(FileId file) {
        HomeRecord home = shard().home(file);
        return home != null && home.getState() != HomeRecord.State.CLOSED && home.getBlocks() > 0;
    }

    /** What is durable at the shard; to be read only. */
    ShardState shard() {
        MemoryView store = stores.get(SHARD);
        if (store == null) {
            throw new IllegalStateException("no store of " + SHARD);
        }
        return new ShardState(new Draft(store));
    }

    /** Begins a process, unless one runs. */
    void start() {
        if (!groups.isEmpty()) {
            return;
        }
        Map<GroupId, SteppedGroup> started = new HashMap<>();
        stores.forEach((id, store) -> {
            SimPeers peers = new SimPeers(world, this);
            SteppedGroup group =
                    new SteppedGroup(store, record(id), peers, signer, world.time(), SETTINGS, new SimSteps(world));
            peers.of(group);
            addParts(group);
            started.put(id, group);
        });
        groups = started;
        world.network().serve(ADDRESS, table(started));
        started.values().forEach(SteppedGroup::start);
    }

    private static void addParts(SteppedGroup group) {
        try {
            if (group.id().equals(SHARD)) {
                group.addShardParts();
            } else {
                group.add(ClusterState::new, sessions());
                group.add(TreeState::new, new TreeHandlers(null));
            }
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The part of a namespace group without what servers ask of it. */
    private static GroupPart<ClusterState> sessions() {
        return (table, parts) -> table.write(
                        MetaMethods.OPEN_SESSION, new OpenSession(parts.signer().sessions()))
                .flow(
                        MetaMethods.CLOSE_SESSION,
                        (origin, request) -> CompletableFuture.completedFuture(Empty.getDefaultInstance()));
    }

    /**
     * Has so many more blocks granted at every server, for a file that is never written; only while no process runs.
     */
    void grant(int blocks) {
        Check.check(groups.isEmpty(), "a process runs");
        MemoryView store = Objects.requireNonNull(stores.get(SHARD));
        Draft draft = new Draft(store);
        ShardState state = new ShardState(draft);
        ReplicaRecord granted =
                ReplicaRecord.newBuilder().setFileId(state.mintFile().value()).build();
        for (int i = 0; i < blocks; i++) {
            BlockId block = state.mintBlock();
            world.servers().forEach(server -> state.putReplica(server.id(), block, granted));
        }
        store.apply(draft);
    }

    /** Ends the process at this moment. */
    void kill() {
        groups.values().forEach(SteppedGroup::crash);
        groups = Map.of();
        world.network().crash(ADDRESS);
    }

    private HandlerTable table(Map<GroupId, SteppedGroup> served) {
        HandlerTable table = new HandlerTable();
        table.on(
                MetaMethods.GET_CLUSTER_MAP,
                (context, request, responder) -> responder.success(GetClusterMapReply.newBuilder()
                        .setMap(world.membership().map())
                        .build()));
        methods.forEach(method -> serve(served, table, method));
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

    private <Q extends Message, R extends Message> void serve(
            Map<GroupId, SteppedGroup> served, HandlerTable table, Method<Q, R> method) {
        table.on(method, (context, request, responder) -> {
            var unused = decide(served, context, method, request).whenComplete((reply, thrown) -> {
                if (thrown == null) {
                    responder.success(reply);
                } else {
                    responder.failure(Causes.of(thrown));
                }
            });
        });
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> decide(
            Map<GroupId, SteppedGroup> served, CallContext context, Method<Q, R> method, Q request) {
        boolean hasSession = !context.session().equals(SessionId.NONE);
        try {
            if (hasSession) {
                signer.sessions().require(context.session(), context.user().user(), context.credential());
            }
        } catch (TatamiException e) {
            return CompletableFuture.failedFuture(e);
        }
        RequestOrigin origin = new RequestOrigin(
                new Caller(context.user().user(), List.of(), true),
                context.session(),
                hasSession ? context.number() : 0,
                context.lowWaterMark(),
                context.hasDeadline() ? context.deadlineNanos() : RequestOrigin.NO_DEADLINE);
        return serve(served.get(context.group()), method, origin, request);
    }

    private static <R extends Message> CompletableFuture<R> serve(
            @Nullable SteppedGroup group, Method<?, R> method, RequestOrigin origin, Message request) {
        if (group == null) {
            throw new IllegalStateException("no group serves " + method);
        }
        return group.serve(method, origin, request).thenApply(reply -> parsed(method, reply));
    }

    /** A call of the service to a group of the running process; UNAVAILABLE where none runs. */
    <Q extends Message, R extends Message> CompletableFuture<R> call(GroupId to, Method<Q, R> method, Q request) {
        return groups.isEmpty()
                ? CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNAVAILABLE, "no process runs"))
                : serve(groups.get(to), method, RequestOrigin.SERVICE, request);
    }

    /** A new block server gives the shard credits, as soon as it is there. */
    void join(SimServer server) {
        if (groups.isEmpty()) {
            world.time().after(JOIN_PAUSE_NANOS, () -> join(server));
        } else {
            giveCredits(server.id().value());
        }
    }

    /** A block server has few credits left at the shard: it gives more. */
    void giveCredits(int server) {
        GiveCreditsRequest gift = GiveCreditsRequest.newBuilder()
                .setServerId(server)
                .setSequence(++gifts)
                .setBlocks(CREDITS)
                .build();
        if (!groups.isEmpty()) {
            var unused = call(SHARD, MetaMethods.GIVE_CREDITS, gift);
        }
    }

    /** A message as it is behind the wire. */
    static <R extends Message> R parsed(Method<?, R> method, Message reply) {
        try {
            return method.replyParser().parseFrom(reply.toByteString());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }
}
