package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.GroupId;
import io.tatami.crash.FaultyDisk;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.server.status.MetadataServersText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The disk of the metadata server that leads the namespace becomes full, or fails: another one leads what that server
 * can't any more, clients see delay and no error, and the server takes part again after a start on a disk that is well.
 */
final class FaultyDiskTest {
    private static final long SEED = Long.getLong("tatami.test.seed", System.nanoTime());
    private static final long NANOS_MAX = TimeUnit.MINUTES.toNanos(4);
    private static final int CLIENTS = 2;
    private static final int STEPS = 10;

    /** So that the disk is full before new files are refused for the sake of deletions, and soon. */
    private static final Map<String, String> NO_RESERVE =
            Map.of("tatami.meta.reserve", "0", "tatami.meta.raft.segment", "8m");

    private static final long RESERVE_BYTES = 16 << 20;

    private static final Map<String, String> RESERVE =
            Map.of("tatami.meta.reserve", String.valueOf(RESERVE_BYTES), "tatami.meta.raft.segment", "8m");

    @TempDir
    private Path directory = Path.of("");

    /** What happens to a disk. */
    private interface Fault {
        void strike(FaultyDisk disk) throws Exception;
    }

    @Tag("soak")
    @Test
    void clientsGoOnWhenTheLeadersDiskFails() throws Exception {
        onFaultyDisks(NO_RESERVE, (disks, trio) -> strike(FaultyDisk::fail, true, disks, trio));
    }

    /** Not another leader: a Raft log goes on in what it has of its file until that is used up, which takes long. */
    @Tag("soak")
    @Test
    void clientsGoOnWhenTheLeadersDiskIsFull() throws Exception {
        onFaultyDisks(NO_RESERVE, (disks, trio) -> strike(FaultyDisk::fill, false, disks, trio));
    }

    /** Nobody is refused anything. */
    @Test
    void aServerWithLittleRoomLetsOthersLeadUntilItHasMore() throws Exception {
        onFaultyDisks(RESERVE, (disks, trio) -> {
            try (FailoverClients clients = new FailoverClients(trio, CLIENTS, STEPS, SEED)) {
                int struck = clients.leader(GroupId.NAMESPACE);
                disks.get(struck).fillTo(RESERVE_BYTES * 7 / 4);
                awaitWellness(clients, false);
                awaitLeading(clients, trio.ports[struck], false);
                clients.awaitSteps();
                disks.get(struck).makeRoom();
                awaitLeading(clients, trio.ports[struck], true);
                awaitWellness(clients, true);
                clients.awaitSteps();
                clients.check();
            }
        });
    }

    /** With three servers that have formed a cluster, each on a disk of its own. */
    private interface OnFaultyDisks {
        void run(List<FaultyDisk> disks, MetadataTrio trio) throws Exception;
    }

    private void onFaultyDisks(Map<String, String> settings, OnFaultyDisks test) throws Exception {
        List<FaultyDisk> disks = new ArrayList<>();
        try {
            for (int server = 0; server < MetadataTrio.SERVERS; server++) {
                disks.add(new FaultyDisk(directory.resolve("meta-" + server)));
            }
            try (MetadataTrio trio =
                    new MetadataTrio.InOneProcess(directory, new int[MetadataTrio.SERVERS], server -> settings)) {
                trio.form();
                test.run(disks, trio);
            }
        } finally {
            for (FaultyDisk disk : disks) {
                disk.close();
            }
        }
    }

    private static void strike(Fault fault, boolean deposes, List<FaultyDisk> disks, MetadataTrio trio)
            throws Exception {
        try (FailoverClients clients = new FailoverClients(trio, CLIENTS, STEPS, SEED)) {
            int struck = clients.leader(GroupId.NAMESPACE);
            fault.strike(disks.get(struck));
            awaitWellness(clients, false);
            clients.awaitSteps();
            if (deposes) {
                assertNotEquals(struck, clients.leader(GroupId.NAMESPACE));
            }
            trio.kill(struck);
            disks.get(struck).heal();
            trio.start(struck);
            clients.awaitSteps();
            awaitWellness(clients, true);
            // Without it those that are left are no majority.
            trio.kill((struck + 1) % MetadataTrio.SERVERS);
            clients.awaitSteps();
            clients.check();
        }
    }

    /** While clients work; whether all servers answer and have no replica that has stopped. */
    private static void awaitWellness(FailoverClients clients, boolean expected) throws Exception {
        await(clients, servers -> servers.stream().allMatch(MetadataServersText::isWell) == expected);
    }

    /** While clients work; whether a server leads anything. */
    private static void awaitLeading(FailoverClients clients, int port, boolean expected) throws Exception {
        await(
                clients,
                servers -> servers.stream()
                        .filter(server -> server.getEndpoint().getPort() == port)
                        .allMatch(server -> server.getLedGroupCount() > 0 == expected));
    }

    private static void await(FailoverClients clients, Predicate<List<MetadataServerInfo>> wanted) throws Exception {
        long giveUpNanos = System.nanoTime() + NANOS_MAX;
        List<MetadataServerInfo> servers = clients.servers();
        while (!wanted.test(servers)) {
            List<MetadataServerInfo> last = servers;
            assertTrue(System.nanoTime() - giveUpNanos < 0, () -> "the servers are told to be " + last);
            Thread.sleep(200);
            servers = clients.servers();
        }
        servers.stream()
                .filter(server -> !MetadataServersText.isWell(server))
                .forEach(server -> System.out.println("told: " + MetadataServersText.trouble(server)));
    }
}
