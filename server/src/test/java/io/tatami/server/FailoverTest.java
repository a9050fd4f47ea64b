package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.GroupId;
import io.tatami.client.TatamiClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Metadata servers die while clients work: these see delay and no error, and all that was acknowledged is there. */
final class FailoverTest {
    private static final long SEED = Long.getLong("tatami.test.seed", System.nanoTime());
    private static final int CLIENTS = 3;
    private static final int STEPS = 5;

    @TempDir
    private Path directory = Path.of("");

    /**
     * Of which each group's leader is one, and all three servers. Who comes back makes the majority that goes on next.
     */
    @Test
    void eachServerInTurnMayDieAndComeBack() throws Exception {
        try (MetadataTrio trio = new MetadataTrio.InOneProcess(directory)) {
            trio.form();
            whileClientsWork(trio, (clients, observer) -> {
                Set<Integer> died = new TreeSet<>();
                for (GroupId group : List.of(GroupId.NAMESPACE, GroupId.ofShard(0), GroupId.ofShard(1))) {
                    int leader = trio.leader(observer, group);
                    died.add(leader);
                    dieAndComeBack(trio, leader, clients);
                }
                for (int server = 0; server < MetadataTrio.SERVERS; server++) {
                    if (died.add(server)) {
                        dieAndComeBack(trio, server, clients);
                    }
                }
            });
        }
    }

    @Tag("soak")
    @Test
    void theNamespacesLeaderMayBeKilledAndThenTheOneAfterIt() throws Exception {
        try (MetadataTrio trio = new MetadataTrio.InProcesses(directory)) {
            trio.form();
            whileClientsWork(trio, (clients, observer) -> {
                for (int i = 0; i < 2; i++) {
                    dieAndComeBack(trio, trio.leader(observer, GroupId.NAMESPACE), clients);
                }
            });
        }
    }

    @Tag("soak")
    @Test
    void aClusterComesBackAfterAllItsServersHaveDied() throws Exception {
        try (MetadataTrio trio = new MetadataTrio.InOneProcess(directory)) {
            trio.form();
            try (FailoverClient client = new FailoverClient(trio.connect(), "before", SEED)) {
                client.start();
                client.awaitSteps(STEPS);
                for (int server = 0; server < MetadataTrio.SERVERS; server++) {
                    trio.kill(server);
                }
                for (int server = 0; server < MetadataTrio.SERVERS; server++) {
                    trio.start(server);
                }
                client.awaitSteps(STEPS);
                try (TatamiClient observer = trio.connect()) {
                    client.check(observer);
                    assertEquals(
                            1 + MetadataTrio.SHARDS,
                            observer.clusterStatus().groups().size());
                }
            }
        }
    }

    private interface Course {
        void run(List<FailoverClient> clients, TatamiClient observer) throws Exception;
    }

    private static void whileClientsWork(MetadataTrio trio, Course course) throws Exception {
        System.out.println("tatami.test.seed=" + SEED);
        List<FailoverClient> clients = new ArrayList<>();
        try (TatamiClient observer = trio.connect()) {
            for (int i = 0; i < CLIENTS; i++) {
                FailoverClient client = new FailoverClient(trio.connect(), "client-" + i, SEED + i);
                clients.add(client);
                client.start();
            }
            awaitSteps(clients);
            course.run(clients, observer);
            for (FailoverClient client : clients) {
                client.check(observer);
            }
        } finally {
            for (FailoverClient client : clients) {
                client.close();
            }
        }
    }

    private static void dieAndComeBack(MetadataTrio trio, int server, List<FailoverClient> clients) throws Exception {
        trio.kill(server);
        awaitSteps(clients);
        trio.start(server);
        awaitSteps(clients);
    }

    private static void awaitSteps(List<FailoverClient> clients) throws InterruptedException {
        for (FailoverClient client : clients) {
            client.awaitSteps(STEPS);
        }
    }
}
