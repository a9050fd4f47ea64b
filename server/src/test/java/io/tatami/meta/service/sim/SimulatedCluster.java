package io.tatami.meta.service.sim;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.files.CrashPoint;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.cluster.GiveCredits;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.file.FileSettings;
import io.tatami.meta.service.host.SteppedGroup;
import io.tatami.meta.service.host.SteppedWork;
import io.tatami.meta.service.tree.TreeSettings;
import io.tatami.meta.service.tree.flow.TreeHandlers;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GiveCreditsRequest;
import io.tatami.protocol.wire.GiveEntriesReply;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A namespace group and its shards over stores in memory: the real operations, gate and flows. A group that crashes
 * loses what it did not commit, and starts again after a while.
 */
final class SimulatedCluster {
    static final long SOFT_LIMIT_MILLIS = 60_000;
    static final long HARD_LIMIT_MILLIS = 70_000;
    private static final int CREDITS = 4_096;

    private final SimWorld world;
    private final Faults faults;
    private final Coverage coverage;
    private final Plant plant;
    private final Oracle oracle;
    private final SimNetwork network;
    private final HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("a key for the simulation"));
    private final ClusterMap map;
    private final Settings settings;
    private final SimBlockServers blockServers;
    private final Map<Integer, Member> members = new TreeMap<>();
    private @Nullable SteppedGroup current;

    SimulatedCluster(SimWorld world, int shards, Faults faults, Plant plant, Coverage coverage) {
        this.world = world;
        this.faults = faults;
        this.coverage = coverage;
        this.plant = plant;
        this.network = new SimNetwork(world, this, faults, coverage);
        this.blockServers = new SimBlockServers(world, faults);
        this.oracle = new Oracle(world, signer);
        this.map = mapOf(shards);
        this.settings = Settings.of(Map.of(
                TreeSettings.ROOT_OWNER.key(), "root",
                FileSettings.LEASE_SOFT_LIMIT.key(), SOFT_LIMIT_MILLIS + "ms",
                FileSettings.LEASE_HARD_LIMIT.key(), HARD_LIMIT_MILLIS + "ms"));
        for (int group = -1; group < shards; group++) {
            members.put(group, new Member(group, shards));
        }
    }

    private static ClusterMap mapOf(int shards) {
        ClusterMap.Builder map = ClusterMap.newBuilder().setEpoch(1).setShards(shards);
        for (int server : SimBlockServers.IDS) {
            map.addBlockServer(BlockServerInfo.newBuilder()
                    .setServerId(server)
                    .setHost("host" + server)
                    .setRack("rack")
                    .setState(BlockServerInfo.State.ACTIVE)
                    .setCapacityBytes(1L << 40)
                    .setFreeBytes(1L << 40));
        }
        return map.build();
    }

    void start() {
        members.values().forEach(Member::start);
    }

    SimNetwork network() {
        return network;
    }

    Oracle oracle() {
        return oracle;
    }

    HandleSigner signer() {
        return signer;
    }

    SimBlockServers blockServers() {
        return blockServers;
    }

    ClusterMap map() {
        return map;
    }

    int shards() {
        return map.getShards();
    }

    /** What is durable in the namespace group. */
    TreeState tree() {
        return new TreeState(new Draft(member(-1).store));
    }

    /** What is durable in a shard. */
    ShardState shard(int shard) {
        return new ShardState(new Draft(member(shard).store));
    }

    /** The group as it runs now; null where it does not. */
    @Nullable
    SteppedGroup running(GroupId group) {
        return member(group.value()).running;
    }

    /** All that crashed starts again, and nothing more crashes. */
    void heal() {
        members.values().forEach(Member::heal);
    }

    CompletableFuture<? extends Message> serve(
            SteppedGroup group, Method<?, ?> method, RequestOrigin origin, Message body) {
        return group.serve(method, origin, body);
    }

    /** Runs something that belongs to a group: if that crashes on the way, it knows which. */
    void inside(SteppedGroup group, Runnable action) {
        SteppedGroup outer = current;
        current = group;
        try {
            action.run();
        } finally {
            current = outer;
        }
    }

    /** The listener of crash points. */
    void passing(String step) {
        SteppedGroup group = current;
        if (group != null) {
            passing(group, step);
        }
    }

    private void passing(SteppedGroup group, String step) {
        if (group.isCrashed() || !faults.crashesAt(step)) {
            return;
        }
        coverage.count("crashes at " + step);
        Member member = member(group.id().value());
        member.end(group);
        world.trace(step.hashCode());
        world.after(20 + world.below(world.chance(0.2) ? 6_000 : 400), member::start);
    }

    private Member member(int group) {
        Member member = members.get(group);
        if (member == null) {
            throw new IllegalArgumentException("no group " + group);
        }
        return member;
    }

    /** One group with what it has on its disk. */
    private final class Member implements SteppedWork {
        private final GroupRecord record;
        private final MemoryView store = new MemoryView();
        private @Nullable SteppedGroup running;

        /** Whether the log of what runs has failed. */
        private boolean stopped;

        /** In the log, and not in the store: what was written when the log told an error. */
        private @Nullable Draft logged;

        Member(int group, int shards) {
            this.record =
                    GroupRecord.newBuilder().setGroup(group).setShards(shards).build();
            Draft format = new Draft(store);
            format.put(Keys.singleton("group"), record.toByteArray());
            if (group >= 0) {
                giveCredits(new ShardState(format));
            }
            store.apply(format);
        }

        private void giveCredits(ShardState state) {
            for (int server : SimBlockServers.IDS) {
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
        }

        void end(SteppedGroup group) {
            group.crash();
            oracle.crashed(group.id());
            network.crashed(group);
            running = null;
            stopped = false;
        }

        void heal() {
            SteppedGroup group = running;
            if (group != null && stopped) {
                end(group);
            }
            start();
        }

        @Override
        public SteppedWork.Write write() {
            return faults.write();
        }

        @Override
        public void written(SteppedGroup group, SteppedWork.Decided decided) {
            tellOracle(group, decided);
        }

        @Override
        public void stopped(SteppedGroup group, Optional<Draft> written) {
            stopped = true;
            logged = written.orElse(null);
            world.after(20L + world.below(4_000), () -> {
                if (running == group) {
                    heal();
                }
            });
        }

        void start() {
            if (running != null) {
                return;
            }
            if (logged != null) {
                store.apply(logged);
                logged = null;
            }
            SimPeers peers = new SimPeers(record.getGroup());
            SteppedGroup group = new SteppedGroup(store, record, peers, signer, world, settings, this);
            peers.group = group;
            running = group;
            inside(group, () -> begin(group));
        }

        private void begin(SteppedGroup group) {
            try {
                if (record.getGroup() < 0) {
                    group.add(TreeState::new, new TreeHandlers(null));
                } else {
                    group.addShardParts();
                }
            } catch (TatamiException e) {
                throw new IllegalStateException(e);
            }
            group.start();
        }

        @Override
        public void later(SteppedGroup group, long delayMillis, Runnable action) {
            world.after(delayMillis, () -> {
                if (!group.isCrashed()) {
                    inside(group, action);
                }
            });
        }

        @Override
        public long decisionMillis() {
            return world.below(2);
        }

        @Override
        public long commitMillis() {
            return 1L + world.below(4);
        }

        @Override
        public SteppedWork.Meddling meddling() {
            return plant;
        }

        @Override
        public void decided(SteppedGroup group, Operation<?, ?, ?> operation) {
            passing(group, "decided." + Crashes.nameOf(operation));
        }

        @Override
        public void committed(SteppedGroup group, List<SteppedWork.Decided> batch) {
            // First all of it: with a leader that crashes here go the first leases of every file that the batch makes.
            batch.forEach(decided -> tellOracle(group, decided));
            batch.forEach(decided -> passing(group, "committed." + Crashes.nameOf(decided.operation())));
        }

        private void tellOracle(SteppedGroup group, SteppedWork.Decided decided) {
            try {
                oracle.committed(group.id(), decided);
            } catch (RuntimeException e) {
                world.bug(e);
            }
        }

        @Override
        public void answered(SteppedGroup group, Operation<?, ?, ?> operation) {
            passing(group, "answered." + Crashes.nameOf(operation));
        }

        @Override
        public void bug(Throwable thrown) {
            world.bug(thrown);
        }
    }

    /** Calls of a group, tried again as a server does. */
    private final class SimPeers implements GroupPeers {
        private static final long PAUSE_MILLIS_MIN = 2;
        private static final long PAUSE_MILLIS_MAX = 500;

        private final int number;
        private @Nullable SteppedGroup group;

        SimPeers(int number) {
            this.number = number;
        }

        private boolean isAlive() {
            return group != null && !group.isCrashed();
        }

        private void inside(Runnable action) {
            SteppedGroup own = group;
            if (own != null && !own.isCrashed()) {
                SimulatedCluster.this.inside(own, action);
            }
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> call(
                GroupId to, Method<Q, R> method, Q body, long timeoutMillis) {
            CompletableFuture<R> result = new CompletableFuture<>();
            Message made = plant.answered(method);
            if (made != null) {
                result.complete(parsed(method, made));
                return result;
            }
            begin(to, method, plant.asked(body), world.wallMillis() + timeoutMillis, PAUSE_MILLIS_MIN, result);
            return result;
        }

        /** Nothing that is simulated asks a server rather than a group. */
        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> callMetadataServer(
                Endpoint to, Method<Q, R> method, Q body, long timeoutMillis) {
            return CompletableFuture.failedFuture(
                    new TatamiException(ErrorCode.UNAVAILABLE, "there is no server at " + to.getHost()));
        }

        private <Q extends Message, R extends Message> void begin(
                GroupId to,
                Method<Q, R> method,
                Message body,
                long endMillis,
                long pauseMillis,
                CompletableFuture<R> result) {
            if (!isAlive()) {
                return;
            }
            LongFunction<RequestOrigin> origin = deadline ->
                    new RequestOrigin(RequestOrigin.SERVICE.caller(), RequestOrigin.SERVICE.session(), 0, 0, deadline);
            SimNetwork.Caller from = new SimNetwork.Caller(number, this::isAlive, this::inside);
            var unused = network.attempt(from, to, method, origin, body, Math.max(1, endMillis - world.wallMillis()))
                    .whenComplete((reply, thrown) -> {
                        if (thrown == null) {
                            CrashPoint.hit("meta.peer.answered", method.name());
                            Message told = plant.told(inSmallSteps(reply));
                            result.complete(told.equals(reply) ? reply : parsed(method, told));
                            return;
                        }
                        TatamiException failure = SimNetwork.failureOf(thrown);
                        if (!failure.code().isRetryable() || endMillis - world.wallMillis() <= pauseMillis) {
                            result.completeExceptionally(failure);
                            return;
                        }
                        world.after(
                                pauseMillis,
                                () -> begin(
                                        to,
                                        method,
                                        body,
                                        endMillis,
                                        Math.min(PAUSE_MILLIS_MAX, pauseMillis * 2),
                                        result));
                    })
                    .exceptionally(bug -> {
                        if (SimBlockServers.isBug(bug)) {
                            world.bug(bug);
                        }
                        return null;
                    });
        }

        /** A shard may give as few entries at a time as it likes. */
        private static Message inSmallSteps(Message reply) {
            return reply instanceof GiveEntriesReply given && given.getEntryCount() > 1
                    ? GiveEntriesReply.newBuilder()
                            .addEntry(given.getEntry(0))
                            .setUpTo(given.getEntry(0).getName())
                            .setMore(true)
                            .build()
                    : reply;
        }

        private static <R extends Message> R parsed(Method<?, R> method, Message reply) {
            try {
                return method.replyParser().parseFrom(reply.toByteString());
            } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> callBlockServer(
                ServerId to, Method<Q, R> method, Q body) {
            CompletableFuture<R> reply = new CompletableFuture<>();
            world.after(1 + world.below(4), () -> inside(() -> blockServers.answer(method, body, reply)));
            return reply;
        }

        @Override
        public ClusterMap map() {
            return map;
        }
    }
}
