package io.tatami.benchmarks.harness.yarn;

import io.tatami.benchmarks.harness.host.FreePorts;
import io.tatami.benchmarks.harness.host.ServerProcess;
import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;

/**
 * YARN's own daemons on the nodes of a lab: a NodeManager on each, and the ResourceManager and MapReduce's history
 * server on the first, all by the names that block servers and DataNodes have too. A job is submitted on a node, with
 * what {@link #configuration()} has. Closing it ends all and removes what they wrote locally.
 */
public final class LabYarn implements AutoCloseable {
    private final Lab lab;
    private final Path directory;
    private final List<ServerProcess> processes = new ArrayList<>();

    private LabYarn(Lab lab, Path directory) {
        this.lab = lab;
        this.directory = directory;
    }

    /**
     * Starts the daemons. That they serve is to be waited for on a node: {@link #awaitNodes}.
     *
     * @param directory for local files and logs
     * @param base names the default file system
     * @param containersMebibytes of each node, 512 for each task and master
     */
    public static LabYarn start(Lab lab, Path directory, Configuration base, int containersMebibytes)
            throws IOException {
        Files.createDirectories(directory);
        LabYarn yarn = new LabYarn(lab, directory);
        try {
            yarn.startAll(base, containersMebibytes);
            return yarn;
        } catch (IOException | RuntimeException e) {
            yarn.close();
            throw e;
        }
    }

    /** The directory with the files that a job is submitted with. */
    public Path configuration() {
        return configuration(lab.nodes().get(0));
    }

    private Path configuration(LabNode node) {
        return directory.resolve("conf").resolve(node.name());
    }

    private void startAll(Configuration base, int containersMebibytes) throws IOException {
        int[] ports = FreePorts.take(YarnSettings.PORTS);
        LabNode first = lab.nodes().get(0);
        for (LabNode node : lab.nodes()) {
            Path local = Files.createDirectories(directory.resolve(node.name()));
            // The file of host names that this program may have been started with has no node of the lab.
            Configuration settings = YarnSettings.of(local, configuration(first), base, containersMebibytes, List.of());
            YarnSettings.listen(settings, first.name(), node.name(), ports);
            // What failed is looked for on this machine, and the file system of the lab is gone by then.
            settings.setBoolean("yarn.log-aggregation-enable", false);
            YarnSettings.write(settings, configuration(node));
        }
        start(first, YarnSettings.RESOURCE_MANAGER, "resourcemanager");
        start(first, YarnSettings.HISTORY_SERVER, "history");
        for (LabNode node : lab.nodes()) {
            start(node, YarnSettings.NODE_MANAGER, "nodemanager");
        }
    }

    private void start(LabNode node, String mainClass, String name) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(YarnSettings.JAVA_OPTIONS);
        command.add("-cp");
        command.add(configuration(node) + ":" + System.getProperty("java.class.path"));
        command.add(mainClass);
        Path output = directory.resolve(name + "-" + node.name() + ".out");
        processes.add(ServerProcess.start(lab.command(node, command), name, output));
    }

    /** Waits on a node until so many NodeManagers run. */
    public static void awaitNodes(Configuration configuration, int nodes) throws IOException, InterruptedException {
        YarnSettings.awaitNodes(configuration, nodes, YarnSettings.START_LIMIT);
    }

    @Override
    public void close() {
        Collections.reverse(processes);
        processes.forEach(ServerProcess::close);
        ContainerProcesses.end(directory);
        FileUtil.fullyDelete(directory.toFile());
    }
}
