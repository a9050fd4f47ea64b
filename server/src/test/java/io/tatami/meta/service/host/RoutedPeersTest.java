package io.tatami.meta.service.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.client.block.UnusedConnection;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.service.cluster.ClusterMapHolder;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.AuditRequest;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.GroupStatusRequest;
import io.tatami.protocol.wire.TakeClusterMapRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.Connector;
import io.tatami.rpc.GroupLeaders;
import io.tatami.rpc.Lane;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a metadata server shows whom it calls. */
final class RoutedPeersTest {
    private static final int LEADER_PORT = 1_000;
    private static final int METADATA_PORT = 2_000;
    private static final int BLOCK_PORT = 3_000;

    private final HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("a key"));
    private final ServiceCredential credential = new ServiceCredential(signer, new UUID(1, 2));

    /** By the port of who was called. */
    private final Map<Integer, ByteString> shown = new LinkedHashMap<>();

    private final Connector connector = new Connector() {
        @Override
        public CompletableFuture<Connection> connect(SocketAddress address, Lane lane) {
            return CompletableFuture.completedFuture(new Called(((InetSocketAddress) address).getPort()));
        }

        @Override
        public void close() {}
    };

    /** Answers everything with nothing. */
    private final class Called extends UnusedConnection {
        private final int port;

        Called(int port) {
            this.port = port;
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> call(
                Method<Q, R> method, CallOptions options, Q body) {
            shown.put(port, options.credential());
            try {
                return CompletableFuture.completedFuture(method.replyParser().parseFrom(new byte[0]));
            } catch (InvalidProtocolBufferException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static Endpoint endpoint(int port) {
        return Endpoint.newBuilder().setHost("127.0.0.1").setPort(port).build();
    }

    @Test
    void eachServerIsShownItsOwnCredential() throws Exception {
        ClusterMap.Builder map = ClusterMap.newBuilder()
                .setEpoch(1)
                .setShards(1)
                .addGroup(GroupLocation.newBuilder().setGroup(0).setLeader(endpoint(LEADER_PORT)));
        for (int server = 1; server <= 2; server++) {
            map.addBlockServer(BlockServerInfo.newBuilder()
                    .setServerId(server)
                    .setState(BlockServerInfo.State.ACTIVE)
                    .setData(endpoint(BLOCK_PORT + server)));
        }
        ClusterMapHolder known = new ClusterMapHolder(map.build());
        RoutedPeers peers =
                new RoutedPeers(connector, new GroupLeaders(), known, credential, Runnable::run, Clock.SYSTEM);

        peers.call(GroupId.ofShard(0), MetaMethods.GROUP_STATUS, GroupStatusRequest.getDefaultInstance())
                .get(20, TimeUnit.SECONDS);
        peers.callMetadataServer(
                        endpoint(METADATA_PORT),
                        MetaMethods.TAKE_CLUSTER_MAP,
                        TakeClusterMapRequest.getDefaultInstance(),
                        1_000)
                .get(20, TimeUnit.SECONDS);
        for (int server = 1; server <= 2; server++) {
            peers.callBlockServer(new ServerId(server), BlockMethods.AUDIT, AuditRequest.getDefaultInstance())
                    .get(20, TimeUnit.SECONDS);
        }

        assertEquals(
                Map.of(
                        LEADER_PORT,
                        credential.bytes(),
                        METADATA_PORT,
                        credential.bytes(),
                        BLOCK_PORT + 1,
                        signer.blockServers().of(new ServerId(1)),
                        BLOCK_PORT + 2,
                        signer.blockServers().of(new ServerId(2))),
                shown);
        assertNotEquals(shown.get(BLOCK_PORT + 1), shown.get(BLOCK_PORT + 2));
        assertNotEquals(shown.get(LEADER_PORT), shown.get(BLOCK_PORT + 1));
    }
}
