package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.SimVolume;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.GiveCreditsReply;
import io.tatami.protocol.wire.GiveCreditsRequest;
import io.tatami.protocol.wire.HeartbeatReply;
import io.tatami.protocol.wire.HeartbeatRequest;
import io.tatami.protocol.wire.RegisterBlockServerReply;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import io.tatami.protocol.wire.VolumeStatus;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who a server is, and what it lets shards place on it. */
final class MembershipTest {
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
        assertEquals(new IdentityFile.Identity(ServerId.NONE, 1), file.start());
        file.write(new IdentityFile.Identity(new ServerId(42), 1));
        assertEquals(new IdentityFile.Identity(new ServerId(42), 2), new IdentityFile(directory, CLUSTER).start());
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
    void volumesThatCouldNotBeOpenedAreToldWithEachHeartbeatAndInTheStatus() throws Exception {
        UUID known = new UUID(3, 4);
        List<VolumeSet.FailedVolume> failed = List.of(
                new VolumeSet.FailedVolume("/dev/known", known, "no index"),
                new VolumeSet.FailedVolume("/dev/unread", null, "no disk"));
        NotedMetadata metadata = new NotedMetadata();
        try (SimVolume sim = new SimVolume(8 << 20, 1);
                BlockServer server = new BlockServer(
                        BlockRig.settings("tatami.block.heartbeat", "10ms"),
                        new VolumeSet(List.of(new VolumeSet.ServedVolume(sim.volume(), "served")), failed),
                        null,
                        new IdentityFile(directory, CLUSTER),
                        NOBODY,
                        Clock.SYSTEM)) {
            server.join(metadata, RegisterBlockServerRequest.getDefaultInstance())
                    .get(20, TimeUnit.SECONDS);

            assertEquals(Set.of(known.toString(), "/dev/unread"), metadata.failedVolumes);
            List<VolumeStatus> told = server.reports().status().getVolumeList();
            assertEquals(
                    List.of("served", "/dev/known", "/dev/unread"),
                    told.stream().map(VolumeStatus::getPath).toList());
            assertEquals(known.toString(), told.get(1).getVolumeId());
            assertEquals("no disk", told.get(2).getFailure());
        }
    }

    /** Metadata servers that give the id 77 and note what they hear. */
    private static final class NotedMetadata implements MetadataLink {
        static final int SHARDS = 4;

        final List<RegisterBlockServerRequest> registrations = new CopyOnWriteArrayList<>();
        final AtomicInteger heartbeats = new AtomicInteger();
        final Set<String> failedVolumes = ConcurrentHashMap.newKeySet();
        final Set<GroupId> shardsGiven = ConcurrentHashMap.newKeySet();
        final AtomicBoolean forgetful = new AtomicBoolean();

        @Override
        public CompletableFuture<RegisterBlockServerReply> register(RegisterBlockServerRequest request) {
            registrations.add(request);
            return CompletableFuture.completedFuture(RegisterBlockServerReply.newBuilder()
                    .setServerId(77)
                    .setMap(ClusterMap.newBuilder().setEpoch(5).setShards(SHARDS))
                    .build());
        }

        @Override
        public CompletableFuture<HeartbeatReply> heartbeat(HeartbeatRequest request, long mapEpoch) {
            assertEquals(5, mapEpoch);
            failedVolumes.addAll(request.getFailedVolumeList());
            heartbeats.incrementAndGet();
            return CompletableFuture.completedFuture(HeartbeatReply.newBuilder()
                    .setRegisterAgain(forgetful.getAndSet(false))
                    .build());
        }

        @Override
        public CompletableFuture<GiveCreditsReply> giveCredits(GroupId shard, GiveCreditsRequest request) {
            shardsGiven.add(shard);
            return CompletableFuture.completedFuture(
                    GiveCreditsReply.newBuilder().setLeft(request.getBlocks()).build());
        }

        @Override
        public void use(ClusterMap map) {
            assertEquals(SHARDS, map.getShards());
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

    private static CreditLine.Room room(long freeBytes) {
        return new CreditLine.Room(freeBytes, 256L << 20, 8);
    }

    @Test
    void aGiftIsRepeatedUntilItIsAnsweredAndNeverAgain() {
        CreditLine line = new CreditLine(1);
        GiveCreditsRequest first = line.request(7, room(128L << 30));
        assertEquals(64, first.getBlocks());
        line.failed(0);
        GiveCreditsRequest again = line.request(7, room(128L << 30));
        assertEquals(first, again);
        assertEquals(64, line.answered(64, 0), "the gift is taken once, whatever was sent");
        GiveCreditsRequest question = line.request(7, room(128L << 30));
        assertEquals(0, question.getBlocks());
        assertTrue(question.getSequence() > first.getSequence());
        assertEquals(0, line.answered(31, 0), "a question is no gift");
        GiveCreditsRequest second = line.request(7, room(128L << 30));
        assertEquals(4 * 33 - 31, second.getBlocks());
        assertTrue(new CreditLine(2).request(7, room(128L << 30)).getSequence() > second.getSequence());
    }

    @Test
    void aShardThatUsesCreditsUpFastIsAskedSoon() {
        CreditLine line = new CreditLine(1);
        assertEquals(64, line.request(7, room(128L << 30)).getBlocks());
        line.answered(64, 1000);
        long quiet = 1000 + 2 * CreditLine.ASK_MILLIS_MIN;
        assertTrue(!line.isDue(quiet - 1) && line.isDue(quiet));
        assertEquals(0, line.request(7, room(128L << 30)).getBlocks());
        line.answered(10, quiet);
        assertTrue(line.isDue(quiet + CreditLine.ASK_MILLIS_MIN));
    }

    @Test
    void aShardThatUsesManyCreditsIsGivenMoreUpToWhatShortBlocksFit() {
        CreditLine line = new CreditLine(1);
        assertEquals(CreditLine.CREDITS_MIN, line.request(7, room(2L << 30)).getBlocks());
        line.answered(4, 0);
        assertEquals(64 - 4, line.request(7, room(2L << 30)).getBlocks());
        line.answered(64, 0);
        assertEquals(0, line.request(7, room(2L << 30)).getBlocks());
        line.answered(0, 0);
        assertEquals(64, line.request(7, room(2L << 30)).getBlocks(), "256 for what was used, but 2 GiB are short");
        CreditLine large = new CreditLine(1);
        assertEquals(CreditLine.CREDITS_MAX, large.request(7, room(16L << 40)).getBlocks());
    }

    @Test
    void creditsShrinkWithTheRoomThatIsFree() {
        assertEquals(512, room(1L << 40).credits(0));
        assertEquals(40, room(80L << 30).credits(0));
        assertEquals(CreditLine.CREDITS_MIN, room(10L << 30).credits(0));
        assertEquals(400, room(100L << 30).credits(100));
        assertEquals(CreditLine.CREDITS_MIN, room(1L << 30).credits(100));
        assertEquals(0, room(1L << 20).credits(100));
    }
}
