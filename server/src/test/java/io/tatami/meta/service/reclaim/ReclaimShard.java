package io.tatami.meta.service.reclaim;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.AuditReply;
import io.tatami.protocol.wire.AuditRequest;
import io.tatami.protocol.wire.AuditedVolume;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.DeleteBlocksReply;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import io.tatami.protocol.wire.Endpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** A shard that decides at once, in a cluster of block servers that are sets of blocks. Owned by one thread. */
final class ReclaimShard implements Group<ShardState>, GroupPeers, Clock {
    private final MemoryView store = new MemoryView();

    /** What each server really has. */
    final Map<Integer, Set<Long>> disks = new TreeMap<>();

    final Set<Integer> silent = new HashSet<>();

    /** Those of {@link #silent} that the cluster map calls dead. */
    final Set<Integer> dead = new HashSet<>();

    /** Records of the queue that were read, and requests to block servers with what each asked for. */
    long recordsRead;

    final List<Integer> requests = new ArrayList<>();

    /** What each request that deletes asked of which server. */
    final List<Deletion> deletions = new ArrayList<>();

    /** Servers of which a volume did not open: what they do not find they cannot tell of. */
    final Set<Integer> withoutVolume = new HashSet<>();

    /** What the cluster map tells of the process and of the volumes of servers, where that is not 0. */
    final Map<Integer, Long> incarnations = new TreeMap<>();

    final Map<Integer, Long> volumes = new TreeMap<>();

    /** Servers that take so long to answer an audit, and have other volumes then. */
    final Map<Integer, Duration> slow = new TreeMap<>();

    private final int restoreEpoch;
    private long nowNanos;

    ReclaimShard(int restoreEpoch) {
        this.restoreEpoch = restoreEpoch;
        change(state -> state.draft().put(Keys.singleton("group"), record().toByteArray()));
    }

    record Deletion(int server, List<DeleteBlocksRequest.Item> items) {}

    interface Change {
        void make(ShardState state) throws TatamiException;
    }

    void change(Change change) {
        Draft draft = new Draft(store);
        try {
            change.make(new ShardState(draft));
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
        store.apply(draft);
    }

    ShardState state() {
        return new ShardState(new Draft(store));
    }

    int queued() {
        int records = 0;
        byte[] prefix = Keys.kind('q');
        try (var cursor = store.scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                records++;
            }
        }
        return records;
    }

    void pass(Duration time) {
        nowNanos += time.toNanos();
    }

    PartContext<ShardState> parts() {
        HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("a key"));
        return new PartContext<>(this, record(), this, signer, this, Settings.defaults());
    }

    private GroupRecord record() {
        return GroupRecord.newBuilder()
                .setShards(1)
                .setRestoreEpoch(restoreEpoch)
                .build();
    }

    @Override
    public GroupId id() {
        return GroupId.ofShard(0);
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> submit(
            Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
        Draft draft = new Draft(store);
        try {
            RequestContext context = new RequestContext(origin.caller(), origin.session(), 1);
            R reply = operation.decide(new ShardState(draft), context, request);
            store.apply(draft);
            return CompletableFuture.completedFuture(reply);
        } catch (TatamiException | UnsettledException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> submitOnce(
            Method<?, R> method, Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
        return submit(operation, origin, request);
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> read(
            Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
        Draft draft = new Draft(new CountingView(store, 'q', () -> recordsRead++));
        try {
            RequestContext context = new RequestContext(origin.caller(), origin.session(), 1);
            return CompletableFuture.completedFuture(operation.decide(new ShardState(draft), context, request));
        } catch (TatamiException | UnsettledException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> call(
            GroupId to, Method<Q, R> method, Q body, long timeoutMillis) {
        return CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNSUPPORTED, "there is one shard"));
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> callMetadataServer(
            Endpoint to, Method<Q, R> method, Q body, long timeoutMillis) {
        throw new UnsupportedOperationException(String.valueOf(to));
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> callBlockServer(
            ServerId to, Method<Q, R> method, Q body) {
        requests.add(method.number() == BlockMethods.AUDIT.number() ? 0 : ((DeleteBlocksRequest) body).getItemCount());
        if (silent.contains(to.value())) {
            return CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNAVAILABLE, to + " is silent"));
        }
        Message reply = method.number() == BlockMethods.AUDIT.number()
                ? audit(to.value(), (AuditRequest) body)
                : delete(to.value(), (DeleteBlocksRequest) body);
        try {
            return CompletableFuture.completedFuture(method.replyParser().parseFrom(reply.toByteString()));
        } catch (InvalidProtocolBufferException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private DeleteBlocksReply delete(int server, DeleteBlocksRequest request) {
        deletions.add(new Deletion(server, request.getItemList()));
        DeleteBlocksReply.Builder reply = DeleteBlocksReply.newBuilder();
        for (DeleteBlocksRequest.Item item : request.getItemList()) {
            if (disk(server).remove(item.getBlockId()) || !withoutVolume.contains(server)) {
                reply.addDeletedBlockId(item.getBlockId());
            }
        }
        return reply.build();
    }

    private AuditReply audit(int server, AuditRequest request) {
        Duration time = slow.get(server);
        if (time != null) {
            pass(time);
            volumes.merge(server, 1L, Long::sum);
        }
        AuditReply.Builder reply = AuditReply.newBuilder();
        Set<Long> asked = new TreeSet<>();
        for (AuditRequest.Item item : request.getItemList()) {
            asked.add(item.getBlockId());
            if (!item.getIntended() && !disk(server).contains(item.getBlockId())) {
                if (withoutVolume.contains(server)) {
                    reply.addUnavailableBlockId(item.getBlockId());
                } else {
                    reply.addMissingBlockId(item.getBlockId());
                }
            }
        }
        if (withoutVolume.contains(server)) {
            reply.addVolume(AuditedVolume.newBuilder()
                    .setPath("/dev/gone")
                    .setState(AuditedVolume.State.NOT_OPENED)
                    .setReason("no such device"));
        }
        for (long block : disk(server)) {
            if (block > request.getAfterBlockId() && block <= request.getUpToBlockId() && !asked.contains(block)) {
                reply.addUnknownBlockId(block);
            }
        }
        return reply.build();
    }

    Set<Long> disk(int server) {
        return disks.computeIfAbsent(server, absent -> new TreeSet<>());
    }

    /** Mints a block. */
    BlockId mint() {
        BlockId[] minted = new BlockId[1];
        change(state -> minted[0] = state.mintBlock());
        return minted[0];
    }

    @Override
    public ClusterMap map() {
        ClusterMap.Builder map = ClusterMap.newBuilder();
        for (int server : disks.keySet()) {
            map.addBlockServer(BlockServerInfo.newBuilder()
                    .setServerId(server)
                    .setIncarnation(incarnations.getOrDefault(server, 0L))
                    .setVolumes(volumes.getOrDefault(server, 0L))
                    .setState(dead.contains(server) ? BlockServerInfo.State.DEAD : BlockServerInfo.State.ACTIVE));
        }
        return map.build();
    }

    @Override
    public long wallMillis() {
        return 0;
    }

    @Override
    public long monotonicNanos() {
        return nowNanos;
    }
}
