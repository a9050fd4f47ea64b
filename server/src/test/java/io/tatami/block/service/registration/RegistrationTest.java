package io.tatami.block.service.registration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.service.BlockDamageTest;
import io.tatami.block.service.BlockRig;
import io.tatami.block.service.BlockServer;
import io.tatami.block.service.NotedMetadata;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.SimVolume;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.BlockInfoRequest;
import io.tatami.protocol.wire.CreditsLowRequest;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.Connector;
import io.tatami.rpc.Lane;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who a server is, and what it lets shards place on it. */
final class RegistrationTest {
    private static final UUID CLUSTER = new UUID(1, 1);

    /** Leads to no other server. */
    private static final Connector NOBODY = new Connector() {
        @Override
        public CompletableFuture<Connection> connect(SocketAddress address, Lane lane) {
            return CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNAVAILABLE, "nobody is there"));
        }

        @Override
        public void close() {}
    };

    @TempDir
    Path directory;

    @Test
    void theIdentityIsKeptAndEachStartCounts() throws Exception {
        IdentityFile file = new IdentityFile(directory, CLUSTER);
        IdentityFile.Identity first = file.start();
        assertEquals(ServerId.NONE, first.server());
        assertEquals(1, first.starts());
        file.write(first.confirmedAs(new ServerId(42)));
        IdentityFile.Identity second = new IdentityFile(directory, CLUSTER).start();
        assertEquals(new ServerId(42), second.server());
        assertEquals(2, second.starts());
        assertEquals(first.incarnation(), second.confirmed());
        assertEquals(List.of(first.incarnation()), second.former());
        assertNotEquals(first.incarnation(), second.incarnation());
    }

    @Test
    void aServerRegistersKeepsItsIdBeatsAndGivesCreditsAndRegistersAgainWhenItIsForgotten() throws Exception {
        NotedMetadata metadata = new NotedMetadata();
        try (BlockRig rig = new BlockRig(directory, 1, BlockRig.settings("tatami.block.heartbeat", "10ms"))) {
            BlockServer server = rig.server(0).running().server();
            RegisterBlockServerRequest registration =
                    RegisterBlockServerRequest.newBuilder().setHost("here").build();
            ServerId given = server.join(metadata, registration).get(20, TimeUnit.SECONDS);
            assertEquals(new ServerId(77), given);
            BlockDamageTest.awaitTrue(
                    () -> metadata.heartbeats.get() > 1 && metadata.shardsGiven.size() == NotedMetadata.SHARDS);
            metadata.forgetful.set(true);
            BlockDamageTest.awaitTrue(() -> metadata.registrations.size() > 1);
        }
        assertEquals(1, metadata.registrations.get(0).getServerId());
        assertEquals(1, metadata.registrations.get(0).getVolumeIdCount());
        assertEquals(77, metadata.registrations.get(1).getServerId());
        IdentityFile kept = new IdentityFile(directory.resolve("server-1"), BlockRig.CLUSTER);
        assertEquals(new ServerId(77), kept.start().server());
    }

    @Test
    void aServerThatIsSupersededServesNobodyAnyMore() throws Exception {
        NotedMetadata metadata = new NotedMetadata();
        try (BlockRig rig = new BlockRig(directory, 1, BlockRig.settings("tatami.block.heartbeat", "10ms"))) {
            BlockServer server = rig.server(0).running().server();
            server.join(metadata, RegisterBlockServerRequest.getDefaultInstance())
                    .get(20, TimeUnit.SECONDS);
            RegisterBlockServerRequest shown = metadata.registrations.get(0);
            assertNotEquals(0, shown.getIncarnation());
            metadata.fencing.set(true);
            metadata.forgetful.set(true);
            assertTrue(server.superseded().get(20, TimeUnit.SECONDS).contains("another process"));
            RegisterBlockServerRequest again = metadata.registrations.get(metadata.registrations.size() - 1);
            assertEquals(shown.getIncarnation(), again.getIncarnation());
            TatamiException refused = assertThrows(
                    TatamiException.class,
                    () -> rig.connect(0)
                            .callAndWait(
                                    BlockMethods.BLOCK_INFO,
                                    CallOptions.DEFAULT,
                                    BlockInfoRequest.newBuilder().setBlockId(1).build()));
            assertEquals(ErrorCode.UNAVAILABLE, refused.code());
        }
    }

    @Test
    void aServerThatIsRefusedForGoodDoesNotJoin() throws Exception {
        NotedMetadata metadata = new NotedMetadata();
        metadata.fencing.set(true);
        try (BlockRig rig = new BlockRig(directory, 1, BlockRig.settings("tatami.block.heartbeat", "10ms"))) {
            CompletableFuture<ServerId> joining =
                    rig.server(0).running().server().join(metadata, RegisterBlockServerRequest.getDefaultInstance());
            ExecutionException refused =
                    assertThrows(ExecutionException.class, () -> joining.get(20, TimeUnit.SECONDS));
            assertEquals(ErrorCode.FENCED, Causes.of(refused).code());
            assertEquals(1, metadata.registrations.size());
        }
    }

    @Test
    void aShardThatSaysThatItHasFewIsGivenMore() throws Exception {
        NotedMetadata metadata = new NotedMetadata();
        try (BlockRig rig = new BlockRig(directory, 1, BlockRig.settings("tatami.block.credit.size", "1m"))) {
            BlockServer server = rig.server(0).running().server();
            server.join(metadata, RegisterBlockServerRequest.getDefaultInstance())
                    .get(20, TimeUnit.SECONDS);
            BlockDamageTest.awaitTrue(() -> metadata.newest(2).getBlocks() == 0 && metadata.gifts(2) > 1);
            metadata.spend(2, 30);
            long before = metadata.newest(2).getSequence();
            CreditsLowRequest low =
                    CreditsLowRequest.newBuilder().setShard(2).setLeft(2).build();

            rig.connect(0).callAndWait(BlockMethods.CREDITS_LOW, BlockRig.AS_METADATA, low);
            rig.connect(0)
                    .callAndWait(
                            BlockMethods.CREDITS_LOW,
                            BlockRig.AS_METADATA,
                            low.toBuilder().setShard(99).build());

            BlockDamageTest.awaitTrue(() ->
                    metadata.of(2).stream().anyMatch(gift -> gift.getSequence() > before && gift.getBlocks() >= 30));
        }
    }

    @Test
    void aServerKnowsMetadataServersByWhatTheNamespaceToldItLast() throws Exception {
        NotedMetadata metadata = new NotedMetadata();
        metadata.credential = ByteString.copyFromUtf8("the first");
        try (BlockRig rig = new BlockRig(directory, 1, BlockRig.settings("tatami.block.heartbeat", "10ms"))) {
            BlockServer server = rig.server(0).running().server();
            server.join(metadata, RegisterBlockServerRequest.getDefaultInstance())
                    .get(20, TimeUnit.SECONDS);
            assertFalse(takesOrders(rig, BlockRig.AS_METADATA.credential()));
            assertTrue(takesOrders(rig, ByteString.copyFromUtf8("the first")));

            metadata.credential = ByteString.EMPTY;
            awaitHeartbeats(metadata);
            assertTrue(takesOrders(rig, ByteString.copyFromUtf8("the first")));
            assertFalse(takesOrders(rig, ByteString.EMPTY));

            metadata.credential = ByteString.copyFromUtf8("the second");
            awaitHeartbeats(metadata);
            assertTrue(takesOrders(rig, ByteString.copyFromUtf8("the second")));
            assertFalse(takesOrders(rig, ByteString.copyFromUtf8("the first")));
        }
    }

    /** Until one that began now was heard. */
    private static void awaitHeartbeats(NotedMetadata metadata) {
        int before = metadata.heartbeats.get();
        BlockDamageTest.awaitTrue(() -> metadata.heartbeats.get() > before + 2);
    }

    private static boolean takesOrders(BlockRig rig, ByteString shown) throws Exception {
        try {
            rig.connect(0)
                    .callAndWait(
                            BlockMethods.CREDITS_LOW,
                            CallOptions.DEFAULT.withCredential(shown),
                            CreditsLowRequest.getDefaultInstance());
            return true;
        } catch (TatamiException e) {
            assertEquals(ErrorCode.PERMISSION_DENIED, e.code());
            return false;
        }
    }

    @Test
    void volumesThatCouldNotBeOpenedAreToldWithEachHeartbeatAndInTheStatus() throws Exception {
        UUID known = new UUID(3, 4);
        UUID gone = new UUID(5, 6);
        List<VolumeSet.FailedVolume> failed = List.of(
                new VolumeSet.FailedVolume("/dev/known", known, "no index"),
                new VolumeSet.FailedVolume("/dev/unread", null, "no disk"));
        NotedMetadata metadata = new NotedMetadata();
        try (SimVolume sim = new SimVolume(8 << 20, 1);
                BlockServer server = new BlockServer(
                        BlockRig.settings("tatami.block.heartbeat", "10ms"),
                        new VolumeSet(
                                List.of(new VolumeSet.ServedVolume(sim.volume(), "served")), failed, Set.of(gone)),
                        null,
                        new IdentityFile(directory, CLUSTER),
                        NOBODY,
                        Clock.SYSTEM)) {
            server.join(metadata, RegisterBlockServerRequest.getDefaultInstance())
                    .get(20, TimeUnit.SECONDS);

            assertEquals(
                    Set.of(sim.volume().id().toString(), known.toString(), gone.toString()),
                    Set.copyOf(metadata.registrations.get(0).getVolumeIdList()));
            assertEquals(Set.of(known.toString(), "/dev/unread"), metadata.failedVolumes);
            List<VolumeStatus> told = server.reports().status().getVolumeList();
            assertEquals(
                    List.of("served", "/dev/known", "/dev/unread"),
                    told.stream().map(VolumeStatus::getPath).toList());
            assertEquals(known.toString(), told.get(1).getVolumeId());
            assertEquals("no disk", told.get(2).getFailure());
        }
    }

    @Test
    void blocksThatAreMintedAfterTheStartAreOnNoVolumeThatWasNotOpened() throws Exception {
        BlockId newest = BlockId.of(2, 0, 100);
        NotedMetadata metadata = new NotedMetadata();
        metadata.newest.put(newest.home(), newest);
        try (SimVolume sim = new SimVolume(8 << 20, 1)) {
            VolumeSet volumes = new VolumeSet(
                    List.of(new VolumeSet.ServedVolume(sim.volume(), "served")),
                    List.of(new VolumeSet.FailedVolume("/dev/gone", null, "no disk")),
                    Set.of());
            try (BlockServer server = new BlockServer(
                    BlockRig.settings("tatami.block.heartbeat", "10ms"),
                    volumes,
                    null,
                    new IdentityFile(directory, CLUSTER),
                    NOBODY,
                    Clock.SYSTEM)) {
                List<BlockId> asked = List.of(newest, BlockId.of(2, 0, 101), BlockId.of(1, 0, 101));
                assertEquals(Set.of(), volumes.gone(asked));
                server.join(metadata, RegisterBlockServerRequest.getDefaultInstance())
                        .get(20, TimeUnit.SECONDS);

                BlockDamageTest.awaitTrue(() -> volumes.gone(asked).equals(Set.of(BlockId.of(2, 0, 101))));
                assertEquals(
                        ErrorCode.NO_SUCH_BLOCK,
                        volumes.notFound(BlockId.of(2, 0, 101)).code());
                assertEquals(ErrorCode.IO_ERROR, volumes.notFound(newest).code());

                metadata.newest.put(newest.home(), BlockId.of(2, 0, 1_000));
                int before = metadata.gifts(2);
                BlockDamageTest.awaitTrue(() -> metadata.gifts(2) > before);
                assertEquals(Set.of(BlockId.of(2, 0, 101)), volumes.gone(asked));
            }
        }
    }

    @Test
    void anotherClustersIdentityAndADamagedOneAreRefused() throws Exception {
        IdentityFile.Identity first = new IdentityFile(directory, CLUSTER).start();
        assertEquals(1, first.starts());
        TatamiException foreign =
                assertThrows(TatamiException.class, () -> new IdentityFile(directory, new UUID(1, 2)).start());
        assertEquals(ErrorCode.WRONG_CLUSTER, foreign.code());
        Path path = directory.resolve(IdentityFile.NAME);
        byte[] bytes = Files.readAllBytes(path);
        bytes[bytes.length - 1] ^= 1;
        Files.write(path, bytes);
        TatamiException damaged =
                assertThrows(TatamiException.class, () -> new IdentityFile(directory, CLUSTER).start());
        assertEquals(ErrorCode.CORRUPT, damaged.code());
    }
}
