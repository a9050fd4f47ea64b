package io.tatami.meta.service.copies;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.copies.CountCopies;
import io.tatami.meta.op.copies.RecordCopies;
import io.tatami.meta.op.reclaim.ConfirmReclaim;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.Totals;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.ConfirmReclaimRequest;
import io.tatami.meta.state.wire.CountCopiesRequest;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.BlockInfoReply;
import io.tatami.protocol.wire.BlockInfoRequest;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.CopiesStatusReply;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.PullBlocksReply;
import io.tatami.protocol.wire.PullBlocksReply.Answer;
import io.tatami.protocol.wire.PullBlocksRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * A shard that decides at once, with the tasks that make copies, in a cluster of block servers each of which is a set
 * of blocks, every one with the number of its copy. What a server was asked to make is made by {@link #make}. Owned by
 * one thread.
 */
final class CopiesCluster implements Group<ShardState>, GroupPeers, Clock {
    static final long LENGTH = 10;

    private final MemoryView store = new MemoryView();

    /** What each server has: of each block the number of its copy. */
    final Map<Integer, Map<Long, Integer>> disks = new TreeMap<>();

    final Map<Integer, State> states = new TreeMap<>();

    /** Servers that do not answer, whatever the map says. */
    final Set<Integer> silent = new HashSet<>();

    /** Servers that were put into another rack, with its number. */
    final Map<Integer, Integer> moved = new HashMap<>();

    /** Servers that are to have no blocks, whatever the map says of their state. */
    final Set<Integer> emptied = new HashSet<>();

    /** Servers in maintenance that are away. */
    final Set<Integer> away = new HashSet<>();

    /** Servers that do not brake although they are silent. */
    final Set<Integer> released = new HashSet<>();

    final Set<Integer> busy = new HashSet<>();

    /** Servers whose copies lack bytes. */
    final Set<Integer> lacking = new HashSet<>();

    /** Copies that servers were asked for, in order. */
    final List<Asked> asked = new ArrayList<>();

    /** Blocks and servers that were asked for their copies before one is given up. */
    int confirmations;

    long mapAgeMillis;

    /** As in the cluster map; servers are balanced only in a cluster that was made so. */
    int balancePercent;

    private boolean isBalanced;
    private int racks = 2;
    private long nowNanos;
    private CopyScheduler maker;
    private List<BackgroundTask> tasks = List.of();
    private List<Balancer> balancers = List.of();
    private List<CopiesOfServer> ofServers = List.of();

    record Asked(int server, PullBlocksRequest.Item item) {}

    CopiesCluster(int servers) {
        for (int server = 1; server <= servers; server++) {
            states.put(server, State.ACTIVE);
            disks.put(server, new TreeMap<>());
        }
        change(state -> state.draft().put(Keys.singleton("group"), record().toByteArray()));
        maker = lead();
    }

    CopiesCluster withRacks(int count) {
        racks = count;
        return this;
    }

    /** Its shard moves copies from full servers to empty ones; each block takes a hundredth of a server's room. */
    CopiesCluster balanced() {
        isBalanced = true;
        maker = lead();
        return this;
    }

    /** One more server joins, with nothing on it. */
    void join(int server) {
        states.put(server, State.ACTIVE);
        disks.put(server, new TreeMap<>());
    }

    double usedPart(int server) {
        return disk(server).size() * usedBytes() / 1_000.0;
    }

    private long usedBytes() {
        return isBalanced ? LENGTH : 1;
    }

    /** Another leader takes over. */
    void loseLeader() {
        maker = lead();
    }

    private CopyScheduler lead() {
        HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("a key"));
        PartContext<ShardState> parts = new PartContext<>(this, record(), this, signer, this, Settings.defaults());
        ServerStandings standings = new ServerStandings(this, Duration.ofMinutes(10), 25);
        CopyScheduler next = new CopyScheduler(parts, standings, 16);
        Balancer balancer = new Balancer(parts, standings, next);
        balancers = List.of(balancer);
        DeadServers lost = new DeadServers(parts, standings);
        ofServers = List.of(new CopiesOfServer(this, next, lost, new DrainProgress(this)));
        List<BackgroundTask> all = new ArrayList<>(List.of(next::run, new ChangedFiles(parts)::run, lost::run));
        if (isBalanced) {
            all.add(balancer::run);
        }
        tasks = all;
        return next;
    }

    private static GroupRecord record() {
        return GroupRecord.newBuilder().setShards(1).build();
    }

    interface Change {
        void make(ShardState state);
    }

    void change(Change change) {
        Draft draft = new Draft(store);
        change.make(new ShardState(draft));
        apply(draft);
    }

    private void apply(Draft draft) {
        Totals totals = new Totals();
        totals.count(draft, store);
        totals.writeTo(draft);
        store.apply(draft);
    }

    ShardState state() {
        return new ShardState(new Draft(store));
    }

    /** A closed file of one block with copies on these servers; nothing is queued. */
    FileId file(int replication, int... servers) {
        FileId[] made = new FileId[1];
        change(state -> {
            FileId file = state.mintFile();
            BlockId block = state.mintBlock();
            BlockRecord.Builder record = BlockRecord.newBuilder()
                    .setBlockId(block.value())
                    .setGeneration(1)
                    .setIssuedGeneration(1)
                    .setLength(LENGTH);
            for (int server : servers) {
                BlockCopies.of(record).grant(new ServerId(server));
                disk(server).put(block.value(), 0);
                state.putReplica(
                        new ServerId(server),
                        block,
                        ReplicaRecord.newBuilder()
                                .setFileId(file.value())
                                .setHeld(true)
                                .build());
            }
            state.putBlock(file, 0, record.build());
            state.putHome(
                    file,
                    HomeRecord.newBuilder()
                            .setReplication(replication)
                            .setBlocks(1)
                            .setLength(LENGTH)
                            .build());
            made[0] = file;
        });
        return made[0];
    }

    void look(FileId file) {
        change(state -> state.needs().look(new BlockId(block(file).getBlockId()), file, 0));
    }

    BlockRecord block(FileId file) {
        return Objects.requireNonNull(state().block(file, 0));
    }

    Set<Integer> holders(FileId file) {
        Set<Integer> holders = new TreeSet<>();
        BlockCopies.counted(block(file))
                .forEach(copy -> holders.add(copy.server().value()));
        return holders;
    }

    /** Whether a server that was given up may be forgotten, as far as this shard is concerned. */
    boolean mayBeForgotten(int server) {
        CountCopiesRequest request = CountCopiesRequest.newBuilder()
                .setServerId(server)
                .setGivenUp(true)
                .build();
        CopiesStatusReply counted =
                read(new CountCopies(), RequestOrigin.SERVICE, request).join();
        return ofServers.stream()
                .allMatch(shard -> shard.complete(new ServerId(server), counted).getDrained());
    }

    /** Servers that really have the block. */
    Set<Integer> onDisks(FileId file) {
        long block = block(file).getBlockId();
        Set<Integer> holders = new TreeSet<>();
        disks.forEach((server, disk) -> {
            if (disk.containsKey(block)) {
                holders.add(server);
            }
        });
        return holders;
    }

    Map<Long, Integer> disk(int server) {
        return Objects.requireNonNull(disks.get(server));
    }

    void pass(Duration time) {
        nowNanos += time.toNanos();
    }

    /** Each task once, or again while there is more to do at once. */
    void run() {
        for (BackgroundTask task : tasks) {
            for (int i = 0; i < 100 && task.run().join().isZero(); i++) {}
        }
    }

    /** Time passes; what was asked is made and reported, and what is queued is deleted. */
    void settle(int seconds) {
        for (int i = 0; i < seconds; i++) {
            run();
            makeAll();
            reclaim();
            pass(Duration.ofSeconds(1));
        }
    }

    void makeAll() {
        List<Asked> all = List.copyOf(asked);
        asked.clear();
        all.forEach(this::make);
    }

    /** A server makes what it was asked for, and reports. */
    void make(Asked what) {
        if (!silent.contains(what.server())) {
            disk(what.server()).put(what.item().getBlockId(), what.item().getCopyNumber());
            report(what.server(), made(what.item()).build());
        }
    }

    static CopiesMadeRequest.Item.Builder made(PullBlocksRequest.Item item) {
        return CopiesMadeRequest.Item.newBuilder()
                .setBlockId(item.getBlockId())
                .setCopyNumber(item.getCopyNumber())
                .setGeneration(item.getGeneration())
                .setLength(item.getLength());
    }

    void report(int server, CopiesMadeRequest.Item item) {
        CopiesMadeRequest report =
                CopiesMadeRequest.newBuilder().setServerId(server).addItem(item).build();
        submit(new RecordCopies(), RequestOrigin.SERVICE, report).join();
        maker.reported(report);
    }

    CopiesStatusReply status() {
        CopiesStatusReply.Builder status = CopiesStatusReply.newBuilder();
        maker.addTo(status);
        balancers.forEach(balancer -> balancer.addTo(status));
        return status.build();
    }

    /** Servers that answer delete what is queued, by number. */
    void reclaim() {
        Map<Long, ReclaimRecord> queued = new TreeMap<>();
        byte[] prefix = Keys.kind('q');
        try (View.Cursor cursor = store.scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                queued.put(Keys.idOf(cursor.key()), ShardState.parse(cursor.value(), ReclaimRecord.parser()));
            }
        }
        queued.forEach((number, record) -> {
            for (int i = 0; i < record.getServerIdCount(); i++) {
                int server = record.getServerId(i);
                if (!silent.contains(server)) {
                    int copy = i < record.getCopyNumberCount() ? record.getCopyNumber(i) : 0;
                    disk(server).remove(record.getBlockId(), copy);
                    submit(
                                    new ConfirmReclaim(),
                                    RequestOrigin.SERVICE,
                                    ConfirmReclaimRequest.newBuilder()
                                            .setServerId(server)
                                            .addNumber(number)
                                            .build())
                            .join();
                }
            }
        });
    }

    @Override
    public GroupId id() {
        return GroupId.ofShard(0);
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> decide(
            Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request, boolean apply) {
        Draft draft = new Draft(store);
        try {
            long millis = wallMillis();
            RequestContext context = new RequestContext(
                    origin.caller(), SessionId.NONE, millis, millis, Set.of(), map(), true, false, "");
            R reply = operation.decide(new ShardState(draft), context, request);
            if (apply) {
                apply(draft);
            }
            return CompletableFuture.completedFuture(reply);
        } catch (TatamiException | UnsettledException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> submit(
            Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
        return decide(operation, origin, request, true);
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> submitOnce(
            Method<?, R> method, Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
        return submit(operation, origin, request);
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> read(
            Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
        return decide(operation, origin, request, false);
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> call(
            GroupId to, Method<Q, R> method, Q body, long timeoutMillis) {
        throw new UnsupportedOperationException(String.valueOf(to));
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> callMetadataServer(
            Endpoint to, Method<Q, R> method, Q body, long timeoutMillis) {
        throw new UnsupportedOperationException(String.valueOf(to));
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> callBlockServer(
            ServerId to, Method<Q, R> method, Q body) {
        if (silent.contains(to.value())) {
            return CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNAVAILABLE, to + " is silent"));
        }
        try {
            Message reply = method.number() == BlockMethods.PULL_BLOCKS.number()
                    ? pull(to.value(), (PullBlocksRequest) body)
                    : info(to.value(), (BlockInfoRequest) body);
            return CompletableFuture.completedFuture(method.replyParser().parseFrom(reply.toByteString()));
        } catch (InvalidProtocolBufferException | TatamiException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private PullBlocksReply pull(int server, PullBlocksRequest request) {
        PullBlocksReply.Builder reply = PullBlocksReply.newBuilder();
        for (PullBlocksRequest.Item item : request.getItemList()) {
            if (busy.contains(server)) {
                reply.addAnswer(Answer.BUSY);
            } else {
                asked.add(new Asked(server, item));
                reply.addAnswer(Answer.ADMITTED);
            }
        }
        return reply.build();
    }

    private BlockInfoReply info(int server, BlockInfoRequest request) throws TatamiException {
        confirmations++;
        if (!disk(server).containsKey(request.getBlockId())) {
            throw new TatamiException(ErrorCode.NO_SUCH_BLOCK, "no block " + request.getBlockId());
        }
        return BlockInfoReply.newBuilder()
                .setGeneration(1)
                .setFinalized(true)
                .setDurableLength(lacking.contains(server) ? LENGTH - 1 : LENGTH)
                .build();
    }

    @Override
    public ClusterMap map() {
        ClusterMap.Builder map = ClusterMap.newBuilder().setShards(1).setBalancePercent(balancePercent);
        states.forEach((server, state) -> map.addBlockServer(BlockServerInfo.newBuilder()
                .setServerId(server)
                .setHost("host" + server)
                .setRack("/rack" + moved.getOrDefault(server, server % racks))
                .setRackChanges(moved.containsKey(server) ? 1 : 0)
                .setBrakeReleased(released.contains(server))
                .setToBeEmptied(emptied.contains(server))
                .setSilent(away.contains(server))
                .setCapacityBytes(1_000)
                .setUsedBytes(disk(server).size() * usedBytes())
                .setState(state)));
        return map.build();
    }

    @Override
    public long mapAgeMillis() {
        return mapAgeMillis;
    }

    @Override
    public long wallMillis() {
        return 1_000_000 + nowNanos / 1_000_000;
    }

    @Override
    public long monotonicNanos() {
        return nowNanos;
    }

    /** Each server's blocks are those that count there, with the same numbers. */
    boolean disksEqualRecords(List<FileId> files) {
        Map<Integer, Map<Long, Integer>> recorded = new TreeMap<>();
        disks.keySet().forEach(server -> recorded.put(server, new TreeMap<>()));
        for (FileId file : files) {
            for (Copy copy : BlockCopies.counted(block(file))) {
                Objects.requireNonNull(recorded.get(copy.server().value()))
                        .put(block(file).getBlockId(), copy.number());
            }
        }
        return recorded.equals(disks);
    }
}
