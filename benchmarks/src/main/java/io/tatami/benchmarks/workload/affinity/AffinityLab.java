package io.tatami.benchmarks.workload.affinity;

import io.tatami.benchmarks.harness.client.NodeProcess;
import io.tatami.benchmarks.harness.host.KeptLogs;
import io.tatami.benchmarks.harness.host.PageCache;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.yarn.LabYarn;
import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabNode;
import io.tatami.server.lab.LabSpec;
import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The nodes of one file system with YARN, and a client on each. Up to {@value #NODE_MANAGERS_MAX} nodes have
 * NodeManagers, and tasks are maps of a MapReduce job. On more the clients register as NodeManagers, and do the tasks
 * in their own processes, all at once when the last is placed; the ResourceManager and its scheduler are the same.
 * Links and disks have no limit until a job runs. Used by one thread.
 */
final class AffinityLab implements AutoCloseable {
    static final int NODE_MANAGERS_MAX = 8;

    private static final int RACKS_MAX = 2;
    private static final int SHARDS = 2;
    private static final int HEAP_MEBIBYTES = 192;
    private static final int SMALL_HEAP_MEBIBYTES = 96;
    private static final long READY_SECONDS_MAX = 300;
    private static final long COMMAND_SECONDS_MAX = 3_600;
    private static final long ROOM_SECONDS_MAX = 300;
    private static final long POLL_MILLIS = 50;
    private static final double ROOM_LEFT = 0.95;
    private static final int WORDS_OF_A_GRANT = 3;
    private static final List<String> SETTINGS =
            List.of("-Dtatami.block.credit.size=16m", "-Dtatami.block.heartbeat=1s");

    private final AffinityOptions options;
    private final boolean isHdfs;
    private final Path home;
    private final Lab lab;
    private final LabYarn yarn;
    private final Map<String, NodeProcess> clients = new HashMap<>();
    private long roomBytes;
    private int jobs;

    /**
     * What a job did.
     *
     * @param durableMillis when the final sync ended, of the epoch; 0 where there was none
     */
    private record Ended(List<AffinityTask> tasks, long durableMillis) {}

    private AffinityLab(AffinityOptions options, boolean isHdfs, Path home, Lab lab, LabYarn yarn) {
        this.options = options;
        this.isHdfs = isHdfs;
        this.home = home;
        this.lab = lab;
        this.yarn = yarn;
    }

    /** Where {@link Lab#remove} finds the nodes. */
    static Path directory(Path home) {
        return home.resolve("lab");
    }

    /**
     * Makes the nodes, and returns when jobs can run. What was started before it fails is ended, but the nodes are not
     * removed.
     *
     * @param home of everything, with the logs
     */
    static AffinityLab up(AffinityOptions options, String peer, int nodes, int copies, Path home, Progress progress)
            throws IOException, InterruptedException {
        boolean isHdfs = peer.equals(AffinityCell.HDFS);
        LabSpec.Shape shape = new LabSpec.Shape(nodes, Math.min(nodes, RACKS_MAX), 1, SHARDS);
        LabSpec spec = LabSpec.of(directory(home), shape, options.capacityBytes(copies))
                .withRackSwitches()
                .withJavaOptions(SETTINGS);
        Lab lab = Lab.up(isHdfs ? spec.withHdfsAlone() : spec);
        Path daemons = home.resolve("yarn");
        LabYarn yarn = nodes <= NODE_MANAGERS_MAX
                ? LabYarn.start(lab, daemons, LabYarn.clients(lab, isHdfs), AffinityJob.NODE_MEBIBYTES)
                : LabYarn.startResourceManager(lab, daemons, LabYarn.clients(lab, isHdfs));
        AffinityLab made = new AffinityLab(options, isHdfs, home, lab, yarn);
        try {
            made.startClients(progress);
            return made;
        } catch (IOException e) {
            IOException told = withLogs(home, e);
            made.close();
            throw told;
        } catch (InterruptedException | RuntimeException e) {
            made.close();
            throw e;
        }
    }

    /** The failure with the directory in its message to which logs are copied; nothing may be ended or removed yet. */
    static IOException withLogs(Path home, IOException failure) throws IOException {
        return new IOException(
                failure.getMessage() + "; the logs of YARN and of the nodes are in " + KeptLogs.of(home), failure);
    }

    private boolean hasNodeManagers() {
        return lab.nodes().size() <= NODE_MANAGERS_MAX;
    }

    private void startClients(Progress progress) throws IOException, InterruptedException {
        Path logs = Files.createDirectories(home.resolve("clients"));
        for (LabNode node : lab.nodes()) {
            int heap = hasNodeManagers() ? HEAP_MEBIBYTES : SMALL_HEAP_MEBIBYTES;
            List<String> words = List.of(node.name(), yarn.configuration().toString());
            clients.put(
                    node.name(), new NodeProcess(lab, node, AffinityClient.class, heap, logs, progress::tell, words));
        }
        for (NodeProcess client : clients.values()) {
            client.answer("ready", READY_SECONDS_MAX);
        }
        if (!hasNodeManagers()) {
            for (NodeProcess client : clients.values()) {
                client.ask("register", READY_SECONDS_MAX);
            }
        }
        first().ask("nodes " + lab.nodes().size(), COMMAND_SECONDS_MAX);
        if (!isHdfs) {
            first().ask("unbalanced", READY_SECONDS_MAX);
        }
        roomBytes = room();
    }

    private NodeProcess client(LabNode node) {
        return client(node.name());
    }

    private NodeProcess client(String node) {
        NodeProcess client = clients.get(node);
        if (client == null) {
            throw new IllegalArgumentException(node);
        }
        return client;
    }

    private NodeProcess first() {
        return client(lab.nodes().get(0));
    }

    private long room() throws IOException, InterruptedException {
        return Long.parseLong(first().ask("room", COMMAND_SECONDS_MAX));
    }

    /** Writes a file on each node, without limits; it is on the disks in the end. */
    void writeInput(AffinityWork work) throws IOException, InterruptedException {
        for (int number = 0; number < work.tasks(); number++) {
            client(lab.nodes().get(number)).tell("input " + number + " " + work);
        }
        for (NodeProcess client : clients.values()) {
            client.answer("input", COMMAND_SECONDS_MAX);
        }
        PageCache.syncAll();
    }

    /** Deletes all files, and waits until the disks have room for others. */
    void delete() throws IOException, InterruptedException {
        first().ask("delete", COMMAND_SECONDS_MAX);
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(ROOM_SECONDS_MAX);
        for (long room = room(); room < ROOM_LEFT * roomBytes; room = room()) {
            if (System.nanoTime() - endNanos > 0) {
                throw new IOException("of " + roomBytes + " bytes that were free, deleting left " + room + " after "
                        + ROOM_SECONDS_MAX + " s");
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    /**
     * Runs a job with links and disks held to their rates, without anything in the page cache before.
     *
     * @return until all is durable where the work's kind says so
     */
    AffinityRun run(AffinityCell cell, AffinityWork work) throws IOException, InterruptedException {
        PageCache.syncAll();
        PageCache.drop();
        limit(
                new DiskRate(options.diskMegabytes * 1_000_000L),
                new LinkRate(options.linkBits(cell.link())),
                uplink(cell));
        try {
            Ended ended = hasNodeManagers() ? byJob(work) : byPlacement(work);
            Map<String, String> racks = new HashMap<>();
            lab.nodes().forEach(node -> racks.put(node.name(), node.rack()));
            return AffinityRun.of(ended.tasks, racks, cell.nodes(), options.diskSeconds(cell.copiesEach()))
                    .until(ended.durableMillis);
        } finally {
            limit(DiskRate.UNLIMITED, LinkRate.UNLIMITED, LinkRate.UNLIMITED);
        }
    }

    private LinkRate uplink(AffinityCell cell) {
        long nodesEach = Math.max(1, cell.nodes() / RACKS_MAX);
        return cell.uplink() == 0
                ? LinkRate.UNLIMITED
                : new LinkRate(options.linkBits(cell.link()) * nodesEach / cell.uplink());
    }

    private void limit(DiskRate disk, LinkRate link, LinkRate uplink) throws IOException, InterruptedException {
        for (LabNode node : lab.nodes()) {
            lab.slow(node, disk);
            lab.slow(node, link);
        }
        lab.slowUplinks(uplink);
    }

    /** The job's own end comes seconds behind its tasks'. */
    private Ended byJob(AffinityWork work) throws IOException, InterruptedException {
        Path reports = Files.createDirectories(home.resolve("reports").resolve(Integer.toString(++jobs)));
        first().tell("job " + work + " " + reports);
        while (AffinityJob.ended(reports).size() < work.tasks() && !first().hasAnswered()) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        long durableMillis = syncIfAsked(work);
        first().answer("job", COMMAND_SECONDS_MAX);
        List<AffinityTask> tasks = AffinityJob.ended(reports);
        if (tasks.size() < work.tasks()) {
            throw new IOException("a job ended, and only " + tasks.size() + " of its tasks did");
        }
        return new Ended(tasks, durableMillis);
    }

    private Ended byPlacement(AffinityWork work) throws IOException, InterruptedException {
        String[] grants = first().ask("place " + work, COMMAND_SECONDS_MAX).split(" ", -1);
        List<NodeProcess> busy = new ArrayList<>();
        for (int i = 0; i < grants.length; i += WORDS_OF_A_GRANT) {
            NodeProcess client = client(grants[i + 1]);
            client.tell("run " + grants[i] + " " + grants[i + 2] + " " + work);
            busy.add(client);
        }
        List<AffinityTask> tasks = new ArrayList<>();
        for (NodeProcess client : busy) {
            tasks.add(AffinityTask.parse(client.answer("run", COMMAND_SECONDS_MAX)));
        }
        long durableMillis = syncIfAsked(work);
        first().ask("release", COMMAND_SECONDS_MAX);
        return new Ended(tasks, durableMillis);
    }

    /** All nodes write out what HDFS keeps there, at once; tells when that was done, and 0 where it was not asked. */
    private long syncIfAsked(AffinityWork work) throws IOException, InterruptedException {
        if (!isHdfs || work.kind() != AffinityKind.WRITE_SYNCED) {
            return 0;
        }
        List<Process> running = new ArrayList<>();
        for (LabNode node : lab.nodes()) {
            List<String> command =
                    List.of("sync", "--file-system", lab.hdfsMount().toString());
            running.add(lab.command(node, command).start());
        }
        for (Process sync : running) {
            if (sync.waitFor() != 0) {
                throw new IOException("sync ended with " + sync.exitValue());
            }
        }
        return System.currentTimeMillis();
    }

    @Override
    public void close() {
        clients.values().forEach(NodeProcess::close);
        yarn.close();
    }
}
