package io.tatami.rpc.netty.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.StringValue;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainSocketAddress;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.EchoService;
import io.tatami.rpc.Futures;
import io.tatami.rpc.netty.Rig;
import io.tatami.rpc.netty.client.RpcClient;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LocalSocketTest {
    @BeforeEach
    void onLinux() {
        assumeTrue(Epoll.isAvailable(), "local sockets need epoll");
    }

    @Test
    void aClientOfTheSameHostLeavesTcp() throws Exception {
        try (Rig rig = new Rig()) {
            Connection connection = rig.connect();
            CallContext.Peer peer = peerOf(rig, connection);
            assertInstanceOf(DomainSocketAddress.class, peer.address());
            assertTrue(peer.sameHost());
            assertEquals(rig.address, connection.peer(), "the server keeps the name it was asked for by");
        }
    }

    @Test
    void aClientThatMayNotStaysWithTcp() throws Exception {
        try (Rig rig = new Rig();
                EventLoops tcp = new EventLoops("tcp", rig.settings, false)) {
            try (RpcClient client = new RpcClient(
                    tcp, rig.settings, rig.clock, ClientIdentity.simple("tcp", UserIdentity.of("anna")))) {
                Connection connection = Futures.result(client.connect(rig.address));
                assertInstanceOf(
                        InetSocketAddress.class, peerOf(rig, connection).address());
            }
        }
    }

    @Test
    void aServerThatMayNotOffersNone() throws Exception {
        try (Rig rig = new Rig(Map.of("tatami.rpc.local.socket", "false"))) {
            assertInstanceOf(InetSocketAddress.class, peerOf(rig, rig.connect()).address());
        }
    }

    private static CallContext.Peer peerOf(Rig rig, Connection connection) throws Exception {
        CompletableFuture<StringValue> reply =
                connection.call(EchoService.PARK, CallOptions.DEFAULT, StringValue.of(""));
        connection.callAndWait(EchoService.ECHO, CallOptions.DEFAULT, StringValue.of("after it"));
        rig.service.answerParked("done");
        assertEquals("done", Futures.result(reply).getValue());
        return rig.service.contexts.remove().peer();
    }
}
