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
    private static final int CONTAINER_MILLIS_MAX = 3_600_000;

    private final Lab lab;
    private final Path directory;
    private final List<ServerProcess> processes = new ArrayList<>();

    private LabYarn(Lab lab, Path directory) {
        this.lab = lab;
        this.directory = directory;
    }

    /**
     * What clients of a lab's file system have, but that a task is on the host that it runs on.
     *
     * @param isHdfs whether that file system is HDFS, else Tatami
     */
    public static Configuration clients(Lab lab, boolean isHdfs) {
        return clients(new Configuration(), lab, isHdfs);
    }

    /** The same without the defaults of this program's Hadoop, for programs that have another one. */
    public static Configuration clientsWithoutDefaults(Lab lab, boolean isHdfs) {
        return clients(new Configuration(false), lab, isHdfs);
    }

    private static Configuration clients(Configuration base, Lab lab, boolean isHdfs) {
        Path directory = isHdfs ? lab.hdfsConfiguration() : lab.nodes().get(0).clientConfiguration();
        for (String site : List.of("core-site.xml", "hdfs-site.xml")) {
            if (Files.exists(directory.resolve(site))) {
                base.addResource(
                        new org.apache.hadoop.fs.Path(directory.resolve(site).toUri()));
            }
        }
        base.unset("tatami.client.host");
        return base;
    }

    /** What a program that was told {@link #configuration()} reads there. */
    public static Configuration read(Path directory) {
        Configuration configuration = new Configuration(false);
        for (String site : YarnSettings.SITES) {
            configuration.addResource(
                    new org.apache.hadoop.fs.Path(directory.resolve(site).toUri()));
        }
        return configuration;
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
            yarn.write(base, containersMebibytes);
            yarn.startAll();
            return yarn;
        } catch (IOException | RuntimeException e) {
            yarn.close();
            throw e;
        }
    }

    /**
     * Writes {@link #configuration()} and starts no daemon, for clients that submit no job.
     *
     * @param directory for local files
     * @param base names the default file system
     */
    public static LabYarn withoutDaemons(Lab lab, Path directory, Configuration base) throws IOException {
        Files.createDirectories(directory);
        LabYarn yarn = new LabYarn(lab, directory);
        yarn.write(base, 0);
        return yarn;
    }

    /**
     * Starts a ResourceManager alone, for programs that register themselves as NodeManagers.
     *
     * @param directory for local files and logs
     * @param base names the default file system
     */
    public static LabYarn startResourceManager(Lab lab, Path directory, Configuration base) throws IOException {
        Files.createDirectories(directory);
        LabYarn yarn = new LabYarn(lab, directory);
        try {
            Configuration patient = new Configuration(base);
            // Nobody tells the ResourceManager that a container was started, and it takes that for lost in time.
            patient.setInt("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", CONTAINER_MILLIS_MAX);
            patient.setInt("yarn.am.liveness-monitor.expiry-interval-ms", CONTAINER_MILLIS_MAX);
            yarn.write(patient, 0);
            yarn.start(lab.nodes().get(0), YarnSettings.RESOURCE_MANAGER, "resourcemanager");
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

    private void write(Configuration base, int containersMebibytes) throws IOException {
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
    }

    private void startAll() throws IOException {
        LabNode first = lab.nodes().get(0);
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
