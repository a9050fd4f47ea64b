package io.tatami.block.service.registration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.block.service.registration.IdentityFile.Identity;
import io.tatami.meta.op.servers.NoteBlockServers;
import io.tatami.meta.op.servers.RegisterBlockServer;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.NoteBlockServersRequest;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes of one server on its disk and on copies of it, in random order: they start, register, lose the answer,
 * crash before and after they keep it, end in good order, and fall silent. At each moment one process at most is the
 * server, none takes the place of one that is heard, and a server whose disk was not copied always comes back.
 */
final class IncarnationsTest {
    private static final UUID CLUSTER = new UUID(4, 4);
    private static final int SEEDS = 300;
    private static final int STEPS = 60;
    private static final RequestContext CONTEXT =
            new RequestContext(new Caller("", List.of(), true), SessionId.NONE, 1);

    @TempDir
    private Path directory;

    @Test
    void oneProcessAtMostIsTheServerWhateverIsCopiedAndLost() throws Exception {
        for (int seed = 0; seed < SEEDS; seed++) {
            new World(seed, 3).run();
        }
    }

    @Test
    void aServerWhoseDiskWasNotCopiedAlwaysComesBack() throws Exception {
        for (int seed = 0; seed < SEEDS; seed++) {
            World world = new World(seed, 1);
            world.run();
            world.disks.get(0).end();
            world.isAway = true;
            Process last = world.disks.get(0).start();
            assertTrue(world.register(last), "seed " + seed);
        }
    }

    /** A process, and what it has learned. */
    private static final class Process {
        private final int port;
        private Identity identity;

        Process(int port, Identity identity) {
            this.port = port;
            this.identity = identity;
        }
    }

    private final class Disk {
        private final Path home;
        private @Nullable Process process;

        Disk(Path home) {
            this.home = home;
        }

        IdentityFile file() {
            return new IdentityFile(home, CLUSTER);
        }

        Process start() throws TatamiException {
            ports++;
            Process started = new Process(ports, file().start());
            process = started;
            return started;
        }

        void end() {
            process = null;
        }
    }

    private int ports;

    private final class World {
        private final int seed;
        private final Random random;
        private final MemoryView view = new MemoryView();
        private final List<Disk> disks = new ArrayList<>();
        private boolean isAway = true;

        /** The process that registered last, which heartbeats while it lives. */
        private @Nullable Process server;

        World(int seed, int disks) throws Exception {
            this.seed = seed;
            this.random = new Random(seed);
            for (int i = 0; i < disks; i++) {
                Path home = directory.resolve("disk-" + seed + "-" + disks + "-" + i);
                Files.createDirectories(home);
                this.disks.add(new Disk(home));
            }
        }

        void run() throws Exception {
            for (int step = 0; step < STEPS; step++) {
                Disk disk = disks.get(random.nextInt(disks.size()));
                Process process = disk.process;
                if (process == null) {
                    copyOrStart(disk);
                } else {
                    live(disk, process);
                }
            }
        }

        private void copyOrStart(Disk disk) throws Exception {
            Path from = disks.get(random.nextInt(disks.size())).home.resolve(IdentityFile.NAME);
            if (random.nextInt(4) == 0 && Files.exists(from)) {
                Path to = disk.home.resolve(IdentityFile.NAME);
                if (!to.equals(from)) {
                    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
                }
            }
            var unused = disk.start();
        }

        private void live(Disk disk, Process process) throws Exception {
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    if (register(process)) {
                        keepOrCrash(disk, process);
                    }
                }
                case 2 -> disk.end();
                case 3 -> {
                    leave(process);
                    disk.end();
                }
                case 4 -> isAway = !isAlive(server) || random.nextInt(3) == 0;
                case 5 -> heartbeat(process);
                default -> throw new IllegalStateException();
            }
        }

        /** The answer comes, is lost, or comes to a process that ends before it has kept it. */
        private void keepOrCrash(Disk disk, Process process) throws Exception {
            int fate = random.nextInt(4);
            if (fate > 1) {
                process.identity = process.identity.confirmedAs(new ServerId(1));
                disk.file().write(process.identity);
            } else if (fate == 1) {
                disk.end();
            }
        }

        private boolean isAlive(@Nullable Process process) {
            return process != null && disks.stream().anyMatch(disk -> disk.process == process);
        }

        /** Whether the process is the server now. */
        boolean register(Process process) throws Exception {
            Process before = server;
            long known = known();
            Draft draft = new Draft(view);
            RegisterBlockServerRequest request = RegisterBlockServerRequest.newBuilder()
                    .addVolumeId("volume")
                    .setData(Endpoint.newBuilder().setHost("host").setPort(process.port))
                    .setIncarnation(process.identity.incarnation())
                    .setPreviousIncarnation(process.identity.confirmed())
                    .addAllFormerIncarnation(process.identity.former())
                    .build();
            try {
                var unused = new RegisterBlockServer(id -> isAway).decide(new ClusterState(draft), CONTEXT, request);
            } catch (TatamiException e) {
                assertTrue(e.code() == ErrorCode.FENCED || e.code() == ErrorCode.IN_USE, "seed " + seed);
                assertFalse(process == before, () -> "seed " + seed + ": a process is refused what it has");
                return false;
            }
            view.apply(draft);
            assertTrue(
                    known == 0
                            || process == before
                            || process.identity.incarnations().contains(known),
                    () -> "seed " + seed + ": a disk that does not show the last process");
            assertTrue(
                    process == before || !isAlive(before) || isAway || left,
                    () -> "seed " + seed + ": two processes are one server");
            server = process;
            isAway = false;
            left = false;
            return true;
        }

        private boolean left;

        /** One that is not the server hears that it is to register, and then that it is fenced. */
        private void heartbeat(Process process) throws Exception {
            if (process.identity.incarnation() == known()) {
                isAway = false;
                assertEquals(server, process, () -> "seed " + seed);
            }
        }

        private void leave(Process process) {
            Draft draft = new Draft(view);
            NoteBlockServersRequest.Item item = NoteBlockServersRequest.Item.newBuilder()
                    .setServerId(1)
                    .setIncarnation(process.identity.incarnation())
                    .setLeft(true)
                    .build();
            var unused = new NoteBlockServers()
                    .decide(
                            new ClusterState(draft),
                            CONTEXT,
                            NoteBlockServersRequest.newBuilder().addItem(item).build());
            view.apply(draft);
            left |= process == server;
        }

        private long known() {
            ClusterState state = new ClusterState(new Draft(view));
            return state.servers().isEmpty()
                    ? 0
                    : Objects.requireNonNull(state.server(new ServerId(1))).getIncarnation();
        }
    }
}
