package io.tatami.benchmarks.workload.ceiling;

import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.block.service.registration.RoutedMetadataLink;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.AuditReply;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.DeleteBlocksReply;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GiveCreditsReply;
import io.tatami.protocol.wire.GiveCreditsRequest;
import io.tatami.protocol.wire.HeartbeatReply;
import io.tatami.protocol.wire.HeartbeatRequest;
import io.tatami.protocol.wire.RegisterBlockServerReply;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.Responder;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.server.RpcServer;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.rpc.netty.shared.ServerIdentity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * A block server without volumes: it registers, sends heartbeats, gives credits and answers shards with the messages of
 * a real one, over connections of its own. It has no bytes; audits find nothing missing, and what is deleted is gone.
 * Safe for use by many threads.
 */
final class FakeBlockServer implements AutoCloseable {
    private static final int RACK_SERVERS = 40;
    private static final long CAPACITY_BYTES = 100L << 40;
    private static final int CREDITS = 1_024;
    private static final long TIMEOUT_MILLIS = 30_000;

    private final int number;
    private final RpcClient connector;
    private final RpcServer listener;
    private final RoutedMetadataLink link;
    private final Endpoint data;
    private final long[] giftSequences;
    private final int[] offered;
    private volatile int id;
    private volatile long mapEpoch;
    private final AtomicLong heartbeats = new AtomicLong();

    /** @param number from 0 on, of this fleet */
    FakeBlockServer(
            int number, int shards, UUID cluster, List<InetSocketAddress> seeds, EventLoops loops, RpcSettings settings)
            throws Exception {
        this.number = number;
        this.giftSequences = new long[shards];
        this.offered = new int[shards];
        Arrays.fill(offered, CREDITS);
        connector = new RpcClient(
                loops,
                settings,
                Clock.SYSTEM,
                ClientIdentity.simple("fake-" + number, UserIdentity.of(System.getProperty("user.name"))));
        listener = new RpcServer(
                loops, settings, Clock.SYSTEM, ServerIdentity.simple("fake-" + number, cluster), handlers());
        InetSocketAddress address =
                (InetSocketAddress) listener.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        data = Endpoint.newBuilder()
                .setHost(address.getHostString())
                .setPort(address.getPort())
                .build();
        link = new RoutedMetadataLink(connector, seeds, TIMEOUT_MILLIS);
    }

    private HandlerTable handlers() {
        HandlerTable table = new HandlerTable();
        on(table, BlockMethods.AUDIT, (request, responder) -> responder.success(AuditReply.getDefaultInstance()));
        on(table, BlockMethods.DELETE_BLOCKS, (request, responder) -> responder.success(deleted(request)));
        on(table, BlockMethods.CREDITS_LOW, (request, responder) -> responder.success(Empty.getDefaultInstance()));
        on(table, BlockMethods.BLOCK_SERVER_STATUS, (request, responder) -> responder.success(status()));
        return table;
    }

    /** One volume, which no other one makes look slow. */
    private BlockServerStatusReply status() {
        long used = heartbeats.get() << 20;
        return BlockServerStatusReply.newBuilder()
                .setServerId(id)
                .addVolume(VolumeStatus.newBuilder()
                        .setVolumeId(new UUID(number + 1L, 1).toString())
                        .setPath("/dev/fake-" + number)
                        .setCapacityBytes(CAPACITY_BYTES)
                        .setUsedBytes(used)
                        .setFreeBytes(CAPACITY_BYTES - used))
                .build();
    }

    private static <Q extends Message, R extends Message> void on(
            HandlerTable table, Method<Q, R> method, BiConsumer<Q, Responder<R>> answer) {
        HandlerTable unused = table.on(
                method, (CallContext context, Q request, Responder<R> responder) -> answer.accept(request, responder));
    }

    private static DeleteBlocksReply deleted(DeleteBlocksRequest request) {
        DeleteBlocksReply.Builder reply = DeleteBlocksReply.newBuilder();
        request.getItemList().forEach(item -> reply.addDeletedBlockId(item.getBlockId()));
        return reply.build();
    }

    CompletableFuture<RegisterBlockServerReply> register() {
        RegisterBlockServerRequest request = RegisterBlockServerRequest.newBuilder()
                .addVolumeId(new UUID(number + 1L, 1).toString())
                .setHost("host-" + number)
                .setData(data)
                .setRack("/rack-" + number / RACK_SERVERS)
                .addStorageType("DISK")
                .setIncarnation(number + 1L)
                .build();
        return link.register(request).thenApply(reply -> {
            id = reply.getServerId();
            learn(reply.getMap());
            return reply;
        });
    }

    private void learn(ClusterMap map) {
        mapEpoch = map.getEpoch();
        link.use(map);
    }

    /** Each has a little less room than the one before, as where files are written. */
    CompletableFuture<HeartbeatReply> heartbeat() {
        long used = heartbeats.incrementAndGet() << 20;
        return link.heartbeat(HeartbeatRequest.newBuilder()
                        .setServerId(id)
                        .setIncarnation(number + 1L)
                        .setCapacityBytes(CAPACITY_BYTES)
                        .setUsedBytes(used)
                        .setFreeBytes(CAPACITY_BYTES - used)
                        .setVolumes(1)
                        .setMapEpoch(mapEpoch)
                        .build())
                .thenApply(reply -> {
                    if (reply.hasMap()) {
                        learn(reply.getMap());
                    }
                    return reply;
                });
    }

    /** Offers credits the first time, and where half of them are used; else asks how many are left. */
    CompletableFuture<GiveCreditsReply> giveCredits(int shard) {
        return link.giveCredits(GroupId.ofShard(shard), gift(shard)).thenApply(reply -> {
            learnLeft(shard, reply.getLeft());
            return reply;
        });
    }

    private synchronized GiveCreditsRequest gift(int shard) {
        return GiveCreditsRequest.newBuilder()
                .setServerId(id)
                .setSequence((1L << 32) + ++giftSequences[shard])
                .setBlocks(offered[shard])
                .build();
    }

    private synchronized void learnLeft(int shard, int left) {
        offered[shard] = left < CREDITS / 2 ? CREDITS - left : 0;
    }

    int id() {
        return id;
    }

    @Override
    public void close() {
        listener.close();
        connector.close();
    }
}
