package io.tatami.block.service.registration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.GroupId;
import io.tatami.base.ManualClock;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.block.service.BlockRig;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.volumes.VolumeSet.ServedVolume;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.SimVolume;
import io.tatami.meta.op.servers.RegisterBlockServer;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
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
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A registration of a server whose volumes change, with the namespace's own decision and answers that are held up. */
final class ChangedVolumesTest {
    private static final UUID CLUSTER = new UUID(1, 1);
    private static final RequestContext CONTEXT =
            new RequestContext(new Caller("", List.of(), true), SessionId.NONE, 1);

    @TempDir
    private Path directory;

    private final ManualClock clock = new ManualClock();
    private final Namespace namespace = new Namespace();
    private final List<TatamiException> ended = new ArrayList<>();
    private SimVolume first;
    private SimVolume second;
    private VolumeSet volumes;
    private IdentityFile file;
    private Registration registration;

    /** Holds its answers to registrations until {@link #answer}. */
    private static final class Namespace implements MetadataLink {
        private MemoryView view = new MemoryView();
        private final Queue<Runnable> held = new ArrayDeque<>();

        @Override
        public CompletableFuture<RegisterBlockServerReply> register(RegisterBlockServerRequest request) {
            CompletableFuture<RegisterBlockServerReply> reply = new CompletableFuture<>();
            held.add(() -> {
                Draft draft = new Draft(view);
                try {
                    reply.complete(
                            new RegisterBlockServer(server -> false).decide(new ClusterState(draft), CONTEXT, request));
                    view.apply(draft);
                } catch (TatamiException e) {
                    reply.completeExceptionally(e);
                }
            });
            return reply;
        }

        void answer() {
            assertEquals(1, held.size(), "one registration is under way");
            held.remove().run();
        }

        /** From then on it knows of another server, whose id this returns, and not of this one. */
        ServerId restoreFromBackup() {
            view = new MemoryView();
            Draft draft = new Draft(view);
            ServerId another = new ClusterState(draft).mintServer();
            view.apply(draft);
            return another;
        }

        List<ClusterState.Server> servers() {
            return new ClusterState(new Draft(view)).servers();
        }

        @Override
        public CompletableFuture<HeartbeatReply> heartbeat(HeartbeatRequest request) {
            return CompletableFuture.completedFuture(HeartbeatReply.getDefaultInstance());
        }

        @Override
        public CompletableFuture<GiveCreditsReply> giveCredits(GroupId shard, GiveCreditsRequest request) {
            return CompletableFuture.completedFuture(GiveCreditsReply.getDefaultInstance());
        }

        @Override
        public CompletableFuture<Empty> damagedCopies(GroupId shard, DamagedCopiesRequest request) {
            return CompletableFuture.completedFuture(Empty.getDefaultInstance());
        }

        @Override
        public CompletableFuture<Empty> copiesMade(GroupId shard, CopiesMadeRequest request) {
            return CompletableFuture.completedFuture(Empty.getDefaultInstance());
        }

        @Override
        public void use(ClusterMap map) {}
    }

    @BeforeEach
    void begin() throws Exception {
        first = new SimVolume(8 << 20, 1);
        second = new SimVolume(8 << 20, 2);
        volumes = new VolumeSet(List.of(served(first)));
        file = new IdentityFile(directory, CLUSTER);
        registration = registration(file.start());
    }

    @AfterEach
    void end() throws Exception {
        first.close();
        second.close();
    }

    private static ServedVolume served(SimVolume volume) {
        return new ServedVolume(volume.volume(), "/" + volume.volume().id());
    }

    private Registration registration(IdentityFile.Identity identity) throws TatamiException {
        ServerContext context = new ServerContext(
                BlockRig.settings(),
                volumes,
                clock,
                new BlockServerMetrics(),
                identity::server,
                identity.incarnation());
        return new Registration(
                namespace,
                context,
                file,
                identity,
                RegisterBlockServerRequest.getDefaultInstance(),
                Runnable::run,
                reply -> {},
                ended::add,
                new DamageNotices(),
                new CopyReports());
    }

    private void tick() {
        clock.advance(Duration.ofMinutes(1));
        registration.tick();
    }

    private void write(SimVolume volume) throws Exception {
        try (BlockWriter writer = volume.volume().create(BlockRig.block(1), Generation.of(1), 1_000, true)) {
            writer.append(ByteBuffer.allocate(1_000), null);
            assertEquals(1_000, writer.finish());
        }
    }

    private ServerId id() {
        assertEquals(1, namespace.servers().size(), "the server became another one");
        return namespace.servers().get(0).id();
    }

    @Test
    void serverWhoseVolumesAreExchangedWhileItRegistersStaysTheSame() throws Exception {
        registration.tick();
        namespace.answer();
        ServerId id = id();
        write(first);
        registration.registerAgain();
        tick();
        volumes.add(served(second));
        registration.registerAgain();
        write(second);
        volumes.remove(volumes.volumes().get(0));
        registration.registerAgain();

        namespace.answer();
        assertFalse(registration.isKnown());
        tick();
        namespace.answer();

        assertEquals(id, id());
        assertTrue(registration.isKnown());
        assertEquals(
                List.of(second.volume().id().toString()),
                namespace.servers().get(0).record().getVolumeIdList());
        assertEquals(List.of(), ended);
    }

    @Test
    void serverWithBlocksRefusesAnotherIdAndNamesBothAndTheRemedy() throws Exception {
        registration.tick();
        namespace.answer();
        ServerId id = id();
        write(first);
        ServerId another = namespace.restoreFromBackup();
        registration.registerAgain();
        tick();
        namespace.answer();

        assertFalse(registration.isKnown());
        assertEquals(1, ended.size());
        assertEquals(ErrorCode.FENCED, ended.get(0).code());
        ServerId given = namespace.servers().get(0).id();
        assertFalse(given.equals(another) || given.equals(id));
        String told = String.valueOf(ended.get(0).getMessage());
        assertTrue(told.contains(id + ",") && told.contains(given + ",") && told.contains("format its volumes"), told);
        assertEquals(id, new IdentityFile(directory, CLUSTER).start().server());
        tick();
        assertTrue(namespace.held.isEmpty(), "it asks no more");
    }

    @Test
    void serverWithoutBlocksTakesAnotherId() throws Exception {
        registration.tick();
        namespace.answer();
        ServerId unused = namespace.restoreFromBackup();
        registration.registerAgain();
        tick();
        namespace.answer();
        assertTrue(registration.isKnown());
        assertEquals(List.of(), ended);
        assertEquals(
                namespace.servers().get(0).id(),
                new IdentityFile(directory, CLUSTER).start().server());
    }
}
