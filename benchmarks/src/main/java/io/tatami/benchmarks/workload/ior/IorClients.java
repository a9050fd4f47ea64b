package io.tatami.benchmarks.workload.ior;

import io.tatami.benchmarks.harness.client.NodeProcess;
import io.tatami.benchmarks.harness.host.CoreTimes;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Skew;
import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A process of writers on each node of a lab. Used by one thread. */
final class IorClients implements AutoCloseable {
    private static final long READY_SECONDS_MAX = 180;
    private static final long PAUSE_MILLIS = 3_000;
    private static final long COMMAND_SECONDS_MAX = 1_200;
    private static final double MEGA = 1e6;

    private final List<String> hosts;
    private final List<NodeProcess> processes = new ArrayList<>();

    /**
     * What writers did.
     *
     * @param seconds from the command to them until the last file was closed
     * @param byServer bytes that each server has, in the order of the nodes
     * @param coresPercent how busy all cores of this machine were, with whatever else ran on it
     */
    record Written(double seconds, double[] byServer, double coresPercent) {
        double bytes() {
            return Arrays.stream(byServer).sum();
        }

        double megabytesPerSecond() {
            return bytes() / MEGA / seconds;
        }

        /** The fullest server's bytes to the mean. */
        double skew() {
            return Skew.of(byServer, null).maxToMean();
        }
    }

    /** Starts them, and returns when they can be told something. */
    IorClients(Lab lab, Path logs, Progress progress) throws IOException, InterruptedException {
        this.hosts = lab.nodes().stream().map(LabNode::name).toList();
        for (LabNode node : lab.nodes()) {
            processes.add(new NodeProcess(lab, node, IorClient.class, logs, progress::tell, List.of(node.name())));
        }
        for (NodeProcess process : processes) {
            process.answer("ready", READY_SECONDS_MAX);
        }
    }

    /** All writers of a cell at once. */
    Written together(IorCell cell, long fileBytes, boolean isLocal) throws IOException, InterruptedException {
        List<Integer> nodes = new ArrayList<>();
        List<String> commands = new ArrayList<>();
        for (int node = 0; node < processes.size(); node++) {
            if (cell.writersOn(node) > 0) {
                nodes.add(node);
                String host = isLocal ? IorClient.HERE : IorClient.ELSEWHERE;
                commands.add(command(host, cell.firstWriterOn(node), cell.writersOn(node), cell.transfer(), fileBytes));
            }
        }
        return write(nodes, commands);
    }

    /** One writer on the node of a server, whose file is on that server; nobody else writes. */
    Written alone(int node, ByteSize transfer, long fileBytes) throws IOException, InterruptedException {
        return write(List.of(node), List.of(command(IorClient.HERE, 0, 1, transfer, fileBytes)));
    }

    private static String command(String host, int first, int writers, ByteSize transfer, long fileBytes) {
        return String.join(
                " ",
                "write",
                host,
                Integer.toString(first),
                Integer.toString(writers),
                Integer.toString(transfer.bytes()),
                Long.toString(fileBytes),
                Long.toString(IorCell.blockBytes(fileBytes)));
    }

    private Written write(List<Integer> nodes, List<String> commands) throws IOException, InterruptedException {
        CoreTimes before = CoreTimes.now();
        long beginNanos = System.nanoTime();
        for (int i = 0; i < commands.size(); i++) {
            processes.get(nodes.get(i)).tell(commands.get(i));
        }
        for (int i = 0; i < commands.size(); i++) {
            processes.get(nodes.get(i)).answer(commands.get(i), COMMAND_SECONDS_MAX);
        }
        double seconds = (System.nanoTime() - beginNanos) / 1e9;
        double coresPercent = CoreTimes.now().busyPercentSince(before);
        Written written = new Written(seconds, byServer(), coresPercent);
        processes.get(0).ask("delete", COMMAND_SECONDS_MAX);
        // Block servers report their writers to each shard every 2 s. Before that a shard still counts the writers of
        // files that other shards have.
        Thread.sleep(PAUSE_MILLIS);
        return written;
    }

    private double[] byServer() throws IOException, InterruptedException {
        Map<String, Double> bytes = new TreeMap<>();
        for (String word : processes.get(0).ask("bytes", COMMAND_SECONDS_MAX).split(" ", -1)) {
            int sign = word.indexOf('=');
            bytes.put(word.substring(0, sign), Double.valueOf(word.substring(sign + 1)));
        }
        return hosts.stream().mapToDouble(host -> bytes.getOrDefault(host, 0.0)).toArray();
    }

    int count() {
        return processes.size();
    }

    String host(int node) {
        return hosts.get(node);
    }

    @Override
    public void close() {
        processes.forEach(NodeProcess::close);
    }
}
