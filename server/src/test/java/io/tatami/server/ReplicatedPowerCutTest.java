package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.GroupId;
import io.tatami.crash.LoopMount;
import io.tatami.crash.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Power cuts of metadata servers that hold every group, of all three at once and of some. What each stores is on an
 * ext4 file system in a file: that file, copied while the server's process is stopped in the midst of its work, has
 * what had reached the device and nothing of what the kernel still kept. The servers go on from the copies, and clients
 * meanwhile see delay and no error; what they were told must be there, and no vote be forgotten.
 */
final class ReplicatedPowerCutTest {
    private static final long IMAGE_BYTES = 256L << 20;
    private static final int WORK_MILLIS_MIN = 100;
    private static final int WORK_MILLIS_MORE = 1_000;
    private static final int CLIENTS = 2;
    private static final int STEPS = 5;
    private static final Map<String, String> SMALL =
            Map.of("tatami.meta.reserve", "1m", "tatami.meta.raft.segment", "8m");

    @TempDir
    private Path directory = Path.of("");

    private Random random = new Random(0);

    @Test
    void whatWasAcknowledgedSurvivesThatAllServersLosePowerAtOnce() throws Exception {
        cut(Long.getLong("tatami.test.seed", System.nanoTime() & 0xffff_ffffL), List.of(MetadataTrio.SERVERS));
    }

    /** Now all, now two, now one. */
    @Tag("soak")
    @Test
    void whatWasAcknowledgedSurvivesManyPowerCuts() throws Exception {
        List<Integer> cuts = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            cuts.add(MetadataTrio.SERVERS - i % MetadataTrio.SERVERS);
        }
        cut(Long.getLong("tatami.test.seed", 1), cuts);
    }

    /** @param cuts how many servers lose power, for each cut */
    private void cut(long seed, List<Integer> cuts) throws Exception {
        random = new Random(seed);
        try (Disks disks = new Disks(directory);
                MetadataTrio.InProcesses trio =
                        new MetadataTrio.InProcesses(directory, new int[MetadataTrio.SERVERS], server -> SMALL)) {
            trio.form();
            try (FailoverClients clients = new FailoverClients(trio, CLIENTS, STEPS, seed)) {
                for (int servers : cuts) {
                    cutPower(trio, disks, clients, servers);
                }
                // What the others have is enough, too.
                trio.kill(clients.leader(GroupId.NAMESPACE));
                clients.awaitSteps();
                clients.check();
            }
            for (int server = 0; server < MetadataTrio.SERVERS; server++) {
                String console = Files.readString(disks.directory(server).resolve("console.txt"));
                assertFalse(console.contains("This replica of"), () -> "a replica has stopped: " + console);
            }
        }
    }

    private void cutPower(MetadataTrio.InProcesses trio, Disks disks, FailoverClients clients, int servers)
            throws Exception {
        List<Integer> struck = new ArrayList<>(List.of(0, 1, 2));
        while (struck.size() > servers) {
            struck.remove(random.nextInt(struck.size()));
        }
        RaftVotes votes = RaftVotes.in(disks.directories());
        clients.awaitSteps();
        TimeUnit.MILLISECONDS.sleep(WORK_MILLIS_MIN + random.nextInt(WORK_MILLIS_MORE));
        for (int server : struck) {
            Signals.send("STOP", trio.pid(server));
        }
        for (int server : struck) {
            disks.take(server);
        }
        for (int server : struck) {
            trio.kill(server);
            disks.putCopyInPlace(server);
        }
        votes.requireKept(RaftVotes.in(disks.directories()));
        for (int server : struck) {
            trio.start(server);
        }
        clients.awaitSteps();
        System.out.println("power cut of " + struck + " after " + clients.steps() + " steps acknowledged");
        assertTrue(clients.steps() > 0);
    }

    /** A file system for each server. */
    private static final class Disks implements AutoCloseable {
        private final Path home;
        private final List<LoopMount> mounts = new ArrayList<>();

        Disks(Path home) throws IOException {
            this.home = home;
            try {
                for (int server = 0; server < MetadataTrio.SERVERS; server++) {
                    mounts.add(LoopMount.make(image(server), IMAGE_BYTES, directory(server)));
                }
            } catch (IOException | RuntimeException e) {
                close();
                throw e;
            }
        }

        Path directory(int server) {
            return home.resolve("meta-" + server);
        }

        List<Path> directories() {
            return List.of(directory(0), directory(1), directory(2));
        }

        private Path image(int server) {
            return home.resolve("image-" + server);
        }

        private Path copy(int server) {
            return home.resolve("copy-" + server);
        }

        void take(int server) throws IOException {
            mounts.get(server).copyTo(copy(server));
        }

        /** Nobody may use the disk. */
        void putCopyInPlace(int server) throws IOException {
            mounts.get(server).close();
            Files.move(copy(server), image(server), StandardCopyOption.REPLACE_EXISTING);
            mounts.set(server, LoopMount.mount(image(server), directory(server)));
        }

        @Override
        public void close() throws IOException {
            for (LoopMount mount : mounts) {
                mount.close();
            }
        }
    }
}
