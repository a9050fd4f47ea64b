package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.block.service.registration.MetadataLink;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.DamagedCopiesRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.GiveCreditsReply;
import io.tatami.protocol.wire.GiveCreditsRequest;
import io.tatami.protocol.wire.HeartbeatReply;
import io.tatami.protocol.wire.HeartbeatRequest;
import io.tatami.protocol.wire.RegisterBlockServerReply;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Metadata servers that give the id 77, or another one, and note what they hear. */
public final class NotedMetadata implements MetadataLink {
    public static final int SHARDS = 4;

    public final List<RegisterBlockServerRequest> registrations = new CopyOnWriteArrayList<>();
    public final AtomicInteger given = new AtomicInteger(77);
    public final AtomicInteger heartbeats = new AtomicInteger();

    /** Of the last heartbeat. */
    public final AtomicLong volumes = new AtomicLong();

    public final Set<String> failedVolumes = ConcurrentHashMap.newKeySet();
    public final Set<GroupId> shardsGiven = ConcurrentHashMap.newKeySet();
    final Map<GroupId, List<GiveCreditsRequest>> byShard = new ConcurrentHashMap<>();
    final Map<GroupId, Integer> spent = new ConcurrentHashMap<>();
    public final Map<GroupId, BlockId> newest = new ConcurrentHashMap<>();
    public final AtomicBoolean forgetful = new AtomicBoolean();

    /** Whether whoever registers is refused, as another process is the server. */
    public final AtomicBoolean fencing = new AtomicBoolean();

    /** What block servers are told that metadata servers show; empty for none, as from an older release. */
    public volatile ByteString credential = BlockRig.AS_METADATA.credential();

    /** Each block that a shard took note of, as often as it did. */
    public final List<BlockId> damaged = new CopyOnWriteArrayList<>();

    /** What shards were told of copies that this server was to make. */
    public final List<CopiesMadeRequest.Item> copies = new CopyOnWriteArrayList<>();

    /** How many notices of damage and copies are refused from now on. */
    final AtomicInteger refusedNotices = new AtomicInteger();

    @Override
    public CompletableFuture<RegisterBlockServerReply> register(RegisterBlockServerRequest request) {
        registrations.add(request);
        if (fencing.get()) {
            return CompletableFuture.failedFuture(
                    new TatamiException(ErrorCode.FENCED, "another process is the server"));
        }
        return CompletableFuture.completedFuture(RegisterBlockServerReply.newBuilder()
                .setServerId(given.get())
                .setMap(ClusterMap.newBuilder().setEpoch(5).setShards(SHARDS))
                .build());
    }

    @Override
    public CompletableFuture<HeartbeatReply> heartbeat(HeartbeatRequest request) {
        assertEquals(5, request.getMapEpoch());
        failedVolumes.addAll(request.getFailedVolumeList());
        volumes.set(request.getVolumes());
        heartbeats.incrementAndGet();
        boolean again = forgetful.getAndSet(false);
        return CompletableFuture.completedFuture(HeartbeatReply.newBuilder()
                .setRegisterAgain(again)
                .setCredential(again ? ByteString.EMPTY : credential)
                .build());
    }

    @Override
    public CompletableFuture<GiveCreditsReply> giveCredits(GroupId shard, GiveCreditsRequest request) {
        shardsGiven.add(shard);
        List<GiveCreditsRequest> gifts = byShard.computeIfAbsent(shard, absent -> new CopyOnWriteArrayList<>());
        gifts.add(request);
        int all = gifts.stream().mapToInt(GiveCreditsRequest::getBlocks).sum();
        GiveCreditsReply.Builder reply = GiveCreditsReply.newBuilder().setLeft(all - spent.getOrDefault(shard, 0));
        if (newest.containsKey(shard)) {
            reply.setNewestBlockId(newest.getOrDefault(shard, BlockId.NONE).value());
        }
        return CompletableFuture.completedFuture(reply.build());
    }

    @Override
    public CompletableFuture<Empty> damagedCopies(GroupId shard, DamagedCopiesRequest request) {
        if (refusedNotices.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            return CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNAVAILABLE, "no leader"));
        }
        assertEquals(given.get(), request.getServerId());
        for (long id : request.getBlockIdList()) {
            BlockId block = new BlockId(id);
            assertEquals(shard, block.home());
            damaged.add(block);
        }
        return CompletableFuture.completedFuture(Empty.getDefaultInstance());
    }

    @Override
    public CompletableFuture<Empty> copiesMade(GroupId shard, CopiesMadeRequest request) {
        if (refusedNotices.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            return CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNAVAILABLE, "no leader"));
        }
        assertEquals(given.get(), request.getServerId());
        copies.addAll(request.getItemList());
        return CompletableFuture.completedFuture(Empty.getDefaultInstance());
    }

    public void spend(int shard, int blocks) {
        spent.merge(GroupId.ofShard(shard), blocks, Integer::sum);
    }

    public List<GiveCreditsRequest> of(int shard) {
        return byShard.getOrDefault(GroupId.ofShard(shard), List.of());
    }

    public int gifts(int shard) {
        return of(shard).size();
    }

    public GiveCreditsRequest newest(int shard) {
        List<GiveCreditsRequest> all = of(shard);
        return all.isEmpty() ? GiveCreditsRequest.newBuilder().setBlocks(1).build() : all.get(all.size() - 1);
    }

    @Override
    public void use(ClusterMap map) {
        assertEquals(SHARDS, map.getShards());
    }
}
