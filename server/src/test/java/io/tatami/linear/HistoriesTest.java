package io.tatami.linear;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.block.volume.SoakLog;
import io.tatami.linear.check.Checker;
import io.tatami.linear.check.Checker.Verdict;
import io.tatami.linear.check.History;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What concurrent clients are told while servers end and begin, messages are lost, late and doubled, ways are cut and
 * clients die can be explained by one order of all that they did. {@code -Dtatami.test.seed} gives the first seed, and
 * thus the calls and the mishaps; the interleaving is the machine's.
 */
class HistoriesTest {
    private static final long SEED = Long.getLong("tatami.test.seed", 1);

    /** The first three from here on draw a pause, the end of two at once, and the end of one. */
    private static final long SEED_OF_PROCESSES = Long.getLong("tatami.test.seed", 22);

    /** The first three from here on draw the end of a server, one that is held up, and the end of another. */
    private static final long SEED_OF_REPLICAS = Long.getLong("tatami.test.seed", 18);

    @TempDir
    private Path directory = Path.of("");

    @Test
    void whatClientsAreToldWhileServersRestartIsLinearizable() throws Exception {
        Map<String, Long> counts = new TreeMap<>();
        try (Servers servers = new LocalServers(directory);
                Clients clients = new Clients(servers.addresses())) {
            run(SEED, Integer.getInteger("tatami.test.histories", 12), servers, clients, counts);
        }
        requireDecided(counts);
    }

    @Test
    void whatClientsAreToldWhileProcessesAreKilledAndPausedIsLinearizable() throws Exception {
        Map<String, Long> counts = new TreeMap<>();
        try (Servers servers = new ProcessServers(directory);
                Clients clients = new Clients(servers.addresses())) {
            run(SEED_OF_PROCESSES, Integer.getInteger("tatami.test.histories", 3), servers, clients, counts);
        }
        requireDecided(counts);
    }

    /** Three servers with a replica of each group, of which leaders end and are cut off. */
    @Test
    void whatClientsAreToldByReplicatedGroupsIsLinearizable() throws Exception {
        Map<String, Long> counts = new TreeMap<>();
        try (Servers servers = ReplicatedServers.inOneProcess(directory);
                Clients clients = new Clients(servers.addresses())) {
            run(SEED_OF_REPLICAS, Integer.getInteger("tatami.test.histories", 3), servers, clients, counts);
        }
        requireDecided(counts);
    }

    /** Three block servers, of which one or two end and come back; each file is in a block with a copy on each. */
    @Test
    void whatClientsAreToldWhileBlockServersRestartIsLinearizable() throws Exception {
        Map<String, Long> counts = new TreeMap<>();
        try (Servers servers = new ServersWithBlocks(new LocalServers(directory.resolve("metadata")), directory);
                Clients clients = Clients.withCopies(servers.addresses(), 3)) {
            run(SEED_OF_PROCESSES, Integer.getInteger("tatami.test.histories", 3), servers, clients, counts);
        }
        requireDecided(counts);
        assertTrue(counts.getOrDefault("close ok", 0L) > 0, counts::toString);
    }

    /**
     * Every fifth over processes, and every fifth over replicated groups in processes. Goes on where its log ends, see
     * {@link SoakLog}.
     */
    @Test
    @Tag("soak")
    void aThousandHistoriesAreLinearizable() throws Exception {
        try (Servers local = new LocalServers(directory.resolve("local"));
                Servers processes = new ProcessServers(directory.resolve("processes"));
                Servers replicated = ReplicatedServers.inProcesses(directory.resolve("replicated"));
                Clients ofLocal = new Clients(local.addresses());
                Clients ofProcesses = new Clients(processes.addresses());
                Clients ofReplicated = new Clients(replicated.addresses())) {
            SoakLog.run(
                    "histories.log",
                    25,
                    1_000,
                    (seed, counts) -> {
                        switch ((int) (seed % 5)) {
                            case 0 -> run(seed, 1, processes, ofProcesses, counts);
                            case 1 -> {
                                run(seed, 1, replicated, ofReplicated, counts);
                                counts.merge("histories of replicated groups", 1L, Long::sum);
                            }
                            default -> run(seed, 1, local, ofLocal, counts);
                        }
                    },
                    HistoryCoverage::require);
        }
    }

    private static void run(long first, int histories, Servers servers, Clients clients, Map<String, Long> counts)
            throws Exception {
        for (long seed = first; seed < first + histories; seed++) {
            HistoryRun history = new HistoryRun(seed, servers, clients);
            HistoryCheck.check(seed, history.run(counts), history.notes(), counts);
        }
    }

    private static void requireDecided(Map<String, Long> counts) {
        System.out.println(counts);
        assertTrue(counts.getOrDefault("linearizable", 0L) > 0, counts::toString);
    }

    /** Of a violation that was found, or any other that is named; else of a short one. */
    @Test
    void theHistoryOfAFileIsLinearizable() throws Exception {
        String named = System.getProperty("tatami.test.history", "");
        Path file = named.isEmpty() ? Files.writeString(directory.resolve("history.txt"), """
                        c1 1 2 mkdirs /a -> true
                        c1 3 6 create /a/f #1 -> ok
                        # killed
                        c2 4 5 list /a -> [f=open:1]
                        """) : Path.of(named);
        Checker.Result result = Checker.DEFAULT.check(History.parse(Files.readString(file)));
        assertEquals(Verdict.LINEARIZABLE, result.verdict(), result::explanation);
    }
}
