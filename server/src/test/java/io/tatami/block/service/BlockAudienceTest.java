package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.block.service.registration.IdentityFile;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.SimVolume;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.protocol.Audience;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.DeclaredMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.StreamMethod;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.Handle;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.RpcStream;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.server.RpcServer;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.rpc.netty.shared.ServerIdentity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every method of a block server, asked over its port by everybody who might. */
final class BlockAudienceTest {
    /** The rig's only server. */
    private static final ServerId SERVER = new ServerId(1);

    private static final HandleSigner CLUSTER = new HandleSigner(ByteString.copyFromUtf8("the key of this cluster"));
    private static final HandleSigner OTHER = new HandleSigner(ByteString.copyFromUtf8("the key of another cluster"));
    private static final ByteString METADATA_SERVER = CLUSTER.blockServers().of(SERVER);

    @TempDir
    Path directory;

    /** What a request may show that is not from a metadata server of the cluster, by who would show it. */
    private static Map<String, CallOptions> strangers() {
        SessionId session = new SessionId(5);
        Handle ofService =
                Handle.newBuilder().setUser("service of " + BlockRig.CLUSTER).build();
        Map<String, CallOptions> strangers = new LinkedHashMap<>();
        strangers.put("nobody", CallOptions.DEFAULT);
        strangers.put(
                "a client in its session",
                CallOptions.DEFAULT
                        .withNumber(session, 1, 0)
                        .withCredential(CLUSTER.sessions().of(session, "anna")));
        strangers.put("a liar", CallOptions.DEFAULT.withCredential(ByteString.copyFromUtf8("a metadata server")));
        strangers.put("an empty hash", CallOptions.DEFAULT.withCredential(ByteString.copyFrom(new byte[32])));
        strangers.put("who has a part of it", CallOptions.DEFAULT.withCredential(METADATA_SERVER.substring(0, 31)));
        strangers.put(
                "another cluster",
                CallOptions.DEFAULT.withCredential(OTHER.blockServers().of(SERVER)));
        strangers.put(
                "another block server of the cluster",
                CallOptions.DEFAULT.withCredential(CLUSTER.blockServers().of(new ServerId(2))));
        strangers.put(
                "a metadata server of an older release",
                CallOptions.DEFAULT.withCredential(CLUSTER.sign(ofService).getSignature()));
        return strangers;
    }

    @Test
    void onlyMetadataServersMayAskWhatIsForServers() throws Exception {
        assertOnlyForMetadataServers("false");
    }

    @Test
    void onlyMetadataServersMayAskWhatIsForServersThroughTheLocalSocketToo() throws Exception {
        assertOnlyForMetadataServers("true");
    }

    private void assertOnlyForMetadataServers(String localSocket) throws Exception {
        try (BlockRig rig = BlockRig.single(directory);
                Stranger stranger = new Stranger(localSocket)) {
            Connection connection = stranger.connect(rig.target(0).address());
            rig.server(0).running().server().credential().learn(METADATA_SERVER);
            List<String> forServers = new ArrayList<>();
            for (Asked method : methods()) {
                if (method.audience() != Audience.USERS) {
                    forServers.add(method.name());
                    for (Map.Entry<String, CallOptions> who : strangers().entrySet()) {
                        String what = method.name() + " by " + who.getKey();
                        TatamiException refused = method.ask(connection, who.getValue())
                                .orElseThrow(() -> new AssertionError(what + " was done"));
                        assertEquals(ErrorCode.PERMISSION_DENIED, refused.code(), what);
                        String message = String.valueOf(refused.getMessage());
                        assertTrue(message.contains(method.name() + " is only for metadata servers"), message);
                    }
                }
                CallOptions ofMetadata = CallOptions.DEFAULT.withCredential(METADATA_SERVER);
                CallOptions allowed = method.audience() == Audience.USERS ? CallOptions.DEFAULT : ofMetadata;
                assertServed(method, method.ask(connection, allowed));
            }
            assertTrue(
                    forServers.containsAll(List.of(
                            "block.fence", "block.finalize", "block.delete", "block.audit", "block.credits-low")),
                    forServers::toString);
        }
    }

    @Test
    void aServerThatWasToldNoCredentialYetDoesNothingThatIsForServers() throws Exception {
        try (SimVolume sim = new SimVolume(8 << 20, 1);
                Stranger stranger = new Stranger("true");
                BlockServer server = new BlockServer(
                        BlockRig.settings(),
                        new VolumeSet(List.of(new VolumeSet.ServedVolume(sim.volume(), "volume"))),
                        null,
                        new IdentityFile(directory, BlockRig.CLUSTER),
                        stranger.client,
                        Clock.SYSTEM);
                RpcServer port = stranger.serve(server)) {
            Connection connection =
                    stranger.connect(port.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
            for (Asked method : methods()) {
                if (method.audience() != Audience.USERS) {
                    assertEquals(
                            Optional.of(ErrorCode.PERMISSION_DENIED),
                            method.ask(connection, CallOptions.DEFAULT).map(TatamiException::code),
                            method.name());
                    assertEquals(
                            Optional.of(ErrorCode.UNAVAILABLE),
                            method.ask(connection, CallOptions.DEFAULT.withCredential(METADATA_SERVER))
                                    .map(TatamiException::code),
                            method.name());
                } else {
                    assertServed(method, method.ask(connection, CallOptions.DEFAULT));
                }
            }
        }
    }

    /** The empty request may be refused for what it asks, and not for who asks. */
    private static void assertServed(Asked method, Optional<TatamiException> failure) {
        failure.ifPresent(refused -> {
            assertNotEquals(ErrorCode.PERMISSION_DENIED, refused.code(), method.name());
            assertNotEquals(ErrorCode.INTERNAL, refused.code(), () -> method.name() + ": " + refused);
        });
    }

    /** A declared method, with a request that says nothing. */
    private interface Asked {
        String name();

        Audience audience();

        /** How it failed, or nothing where it was done. */
        Optional<TatamiException> ask(Connection connection, CallOptions options) throws Exception;
    }

    private static List<Asked> methods() {
        List<Asked> methods = new ArrayList<>();
        DeclaredMethods.calls(BlockMethods.class).forEach(method -> methods.add(new AskedCall<>(method)));
        DeclaredMethods.streams(BlockMethods.class).forEach(method -> methods.add(new AskedStream<>(method)));
        return methods;
    }

    private record AskedCall<Q extends Message, R extends Message>(Method<Q, R> method) implements Asked {
        @Override
        public String name() {
            return method.name();
        }

        @Override
        public Audience audience() {
            return method.audience();
        }

        @Override
        public Optional<TatamiException> ask(Connection connection, CallOptions options) throws Exception {
            try {
                connection.callAndWait(method, options, method.requestParser().parseFrom(new byte[0]));
                return Optional.empty();
            } catch (TatamiException e) {
                return Optional.of(e);
            }
        }
    }

    private record AskedStream<Q extends Message, U extends Message, D extends Message, R extends Message>(
            StreamMethod<Q, U, D, R> method) implements Asked {
        @Override
        public String name() {
            return method.name();
        }

        @Override
        public Audience audience() {
            return method.audience();
        }

        /** A stream that sends something, or still waits when it is given up, was opened. */
        @Override
        public Optional<TatamiException> ask(Connection connection, CallOptions options) throws Exception {
            Heard<D, R> heard = new Heard<>();
            RpcStream<U> stream = connection.openStream(
                    method, options, method.requestParser().parseFrom(new byte[0]), heard);
            BlockDamageTest.awaitTrue(() -> heard.end.isDone() || !heard.messages.isEmpty());
            stream.cancel("enough was heard");
            return heard.end.isCompletedExceptionally() && heard.messages.isEmpty()
                    ? Optional.of(heard.failure())
                    : Optional.empty();
        }
    }

    /** A client of its own, and what serves its requests in its process. */
    private static final class Stranger implements AutoCloseable {
        private final RpcSettings settings;
        private final EventLoops loops;
        private final RpcClient client;

        Stranger(String localSocket) throws TatamiException {
            settings = RpcSettings.from(Settings.of(Map.of("tatami.rpc.local.socket", localSocket)));
            loops = new EventLoops("stranger", settings);
            client = new RpcClient(
                    loops, settings, Clock.SYSTEM, ClientIdentity.simple("stranger", UserIdentity.of("anna")));
        }

        Connection connect(SocketAddress address) throws Exception {
            return client.connect(address).get(20, TimeUnit.SECONDS);
        }

        RpcServer serve(BlockServer server) {
            return new RpcServer(
                    loops,
                    settings,
                    Clock.SYSTEM,
                    ServerIdentity.simple("block server", BlockRig.CLUSTER),
                    server.handlers());
        }

        @Override
        public void close() {
            client.close();
            loops.close();
        }
    }
}
