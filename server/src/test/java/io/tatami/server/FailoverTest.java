package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.GroupId;
import io.tatami.client.TatamiClient;
import java.nio.file.Path;
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
            try (FailoverClients clients = new FailoverClients(trio, CLIENTS, STEPS, SEED)) {
                Set<Integer> died = new TreeSet<>();
                for (GroupId group : List.of(GroupId.NAMESPACE, GroupId.ofShard(0), GroupId.ofShard(1))) {
                    int leader = clients.leader(group);
                    died.add(leader);
                    dieAndComeBack(trio, leader, clients);
                }
                for (int server = 0; server < MetadataTrio.SERVERS; server++) {
                    if (died.add(server)) {
                        dieAndComeBack(trio, server, clients);
                    }
                }
                clients.check();
            }
        }
    }

    @Tag("soak")
    @Test
    void theNamespacesLeaderMayBeKilledAndThenTheOneAfterIt() throws Exception {
        try (MetadataTrio trio = new MetadataTrio.InProcesses(directory)) {
            trio.form();
            try (FailoverClients clients = new FailoverClients(trio, CLIENTS, STEPS, SEED)) {
                for (int i = 0; i < 2; i++) {
                    dieAndComeBack(trio, clients.leader(GroupId.NAMESPACE), clients);
                }
                clients.check();
            }
        }
    }

    @Tag("soak")
    @Test
    void aClusterComesBackAfterAllItsServersHaveDied() throws Exception {
        try (MetadataTrio trio = new MetadataTrio.InOneProcess(directory)) {
            trio.form();
            try (FailoverClients clients = new FailoverClients(trio, 1, STEPS, SEED)) {
                for (int server = 0; server < MetadataTrio.SERVERS; server++) {
                    trio.kill(server);
                }
                for (int server = 0; server < MetadataTrio.SERVERS; server++) {
                    trio.start(server);
                }
                clients.awaitSteps();
                clients.check();
            }
            try (TatamiClient observer = trio.connect()) {
                assertEquals(
                        1 + MetadataTrio.SHARDS,
                        observer.cluster().status().groups().size());
            }
        }
    }

    private static void dieAndComeBack(MetadataTrio trio, int server, FailoverClients clients) throws Exception {
        trio.kill(server);
        clients.awaitSteps();
        trio.start(server);
        clients.awaitSteps();
    }
}
