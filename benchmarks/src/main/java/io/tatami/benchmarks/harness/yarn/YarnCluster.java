package io.tatami.benchmarks.harness.yarn;

import io.tatami.benchmarks.harness.host.FreePorts;
import io.tatami.benchmarks.harness.host.HostNames;
import io.tatami.benchmarks.harness.host.ServerProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * YARN's own daemons as processes: a ResourceManager, a NodeManager and MapReduce's history server, all on loopback,
 * with whatever file system the configuration names as the default. Closing it ends them and removes what they wrote
 * locally.
 */
public final class YarnCluster implements AutoCloseable {
    /** Three JVMs that load thousands of classes each: seconds on an idle machine, minutes on one with other work. */
    private static final Duration START_LIMIT = Duration.ofMinutes(5);
    /** What lives shortly, or does little, is there sooner without the second compiler. */
    private static final String QUICK_START = "-XX:TieredStopAtLevel=1";

    private static final List<String> JAVA_OPTIONS =
            List.of("-Xmx256m", "-XX:+UseSerialGC", QUICK_START, "--add-opens=java.base/java.lang=ALL-UNNAMED");
    private static final String LOOPBACK = "localhost";
    private static final int CONTAINERS_MEBIBYTES = 4096;

    private final Path directory;
    private final Configuration configuration;
    private final List<ServerProcess> processes = new ArrayList<>();

    private YarnCluster(Path directory, Configuration configuration) {
        this.directory = directory;
        this.configuration = configuration;
    }

    /** Starts the daemons with room for seven tasks and their master. */
    public static YarnCluster start(Path directory, Configuration base) throws IOException, InterruptedException {
        return start(directory, base, CONTAINERS_MEBIBYTES);
    }

    /**
     * Starts the daemons.
     *
     * @param directory empty; for local files and logs
     * @param base names the default file system
     * @param containersMebibytes which tasks and masters share, 512 each
     */
    public static YarnCluster start(Path directory, Configuration base, int containersMebibytes)
            throws IOException, InterruptedException {
        Configuration configuration = configure(directory, base);
        configuration.setInt("yarn.nodemanager.resource.memory-mb", containersMebibytes);
        YarnCluster cluster = new YarnCluster(directory, configuration);
        try {
            cluster.startProcesses();
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** What jobs are submitted with. */
    public Configuration configuration() {
        return configuration;
    }

    private static Configuration configure(Path directory, Configuration base) throws IOException {
        Configuration configuration = new Configuration(base);
        int[] ports = FreePorts.take(11);
        String[] addresses = {
            "yarn.resourcemanager.address",
            "yarn.resourcemanager.scheduler.address",
            "yarn.resourcemanager.resource-tracker.address",
            "yarn.resourcemanager.admin.address",
            "yarn.resourcemanager.webapp.address",
            "yarn.nodemanager.address",
            "yarn.nodemanager.localizer.address",
            "yarn.nodemanager.webapp.address",
            "mapreduce.jobhistory.address",
            "mapreduce.jobhistory.webapp.address",
            "mapreduce.jobhistory.admin.address"
        };
        for (int i = 0; i < addresses.length; i++) {
            configuration.set(addresses[i], LOOPBACK + ":" + ports[i]);
        }
        configuration.set("yarn.resourcemanager.hostname", LOOPBACK);
        // A NodeManager that is up before the ResourceManager listens waits 30 s else before it asks once more.
        configuration.setInt("yarn.resourcemanager.connect.retry-interval.ms", 500);
        configuration.set("yarn.nodemanager.hostname", LOOPBACK);
        configuration.set("yarn.nodemanager.aux-services", "mapreduce_shuffle");
        configuration.setInt("mapreduce.shuffle.port", 0);
        configuration.setInt("yarn.nodemanager.resource.cpu-vcores", 4);
        configuration.setInt("yarn.scheduler.minimum-allocation-mb", 256);
        configuration.setBoolean("yarn.nodemanager.vmem-check-enabled", false);
        configuration.setBoolean("yarn.nodemanager.pmem-check-enabled", false);
        // A build machine's disk may be nearly full and still have room for this.
        configuration.set("yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "100");
        configuration.set(
                "yarn.nodemanager.local-dirs", directory.resolve("local").toString());
        configuration.set(
                "yarn.nodemanager.log-dirs", directory.resolve("container-logs").toString());
        configuration.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
        HostNames.configure(configuration);
        configuration.setBoolean("yarn.log-aggregation-enable", true);
        configuration.set("yarn.nodemanager.remote-app-log-dir", "/tmp/logs");
        configuration.set("yarn.app.mapreduce.am.staging-dir", "/user");
        configuration.set("mapreduce.jobhistory.intermediate-done-dir", "/tmp/history/intermediate");
        configuration.set("mapreduce.jobhistory.done-dir", "/tmp/history/done");
        configuration.set("mapreduce.framework.name", "yarn");
        // A job's own files ask for ten copies else, and there is one server.
        configuration.setInt("mapreduce.client.submit.file.replication", 1);
        String classPath = System.getProperty("java.class.path").replace(':', ',');
        configuration.set("yarn.application.classpath", directory.resolve("conf") + "," + classPath);
        configuration.set("mapreduce.application.classpath", directory.resolve("conf") + "," + classPath);
        configuration.setInt("yarn.app.mapreduce.am.resource.mb", 512);
        String options = "-Xmx320m -XX:+UseSerialGC " + String.join(" ", HostNames.javaOptions());
        configuration.set("yarn.app.mapreduce.am.command-opts", options + " " + QUICK_START);
        configuration.setInt("mapreduce.map.memory.mb", 512);
        configuration.setInt("mapreduce.reduce.memory.mb", 512);
        configuration.set("mapred.child.java.opts", options);
        configuration.setInt("mapreduce.task.io.sort.mb", 64);
        return configuration;
    }

    private void startProcesses() throws IOException, InterruptedException {
        Path conf = Files.createDirectories(directory.resolve("conf"));
        for (String name : List.of("core-site.xml", "yarn-site.xml", "mapred-site.xml")) {
            try (OutputStream site = Files.newOutputStream(conf.resolve(name))) {
                configuration.writeXml(site);
            }
        }
        try (OutputStream queues = Files.newOutputStream(conf.resolve("capacity-scheduler.xml"))) {
            oneQueue().writeXml(queues);
        }
        processes.add(daemon("org.apache.hadoop.yarn.server.resourcemanager.ResourceManager", "resourcemanager", conf));
        processes.add(daemon("org.apache.hadoop.yarn.server.nodemanager.NodeManager", "nodemanager", conf));
        processes.add(daemon("org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer", "history", conf));
        try (YarnClient client = YarnClient.createYarnClient()) {
            Configuration impatient = new Configuration(configuration);
            impatient.setInt("yarn.resourcemanager.connect.max-wait.ms", 1_000);
            impatient.setInt("yarn.resourcemanager.connect.retry-interval.ms", 200);
            client.init(impatient);
            client.start();
            for (ServerProcess process : processes) {
                process.awaitReady(() -> hasNode(client), START_LIMIT);
            }
        }
    }

    /** The capacity scheduler has no queue of its own; its settings are read from a file of their own. */
    private static Configuration oneQueue() {
        Configuration queues = new Configuration(false);
        queues.set("yarn.scheduler.capacity.root.queues", "default");
        queues.set("yarn.scheduler.capacity.root.default.capacity", "100");
        queues.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0.5");
        return queues;
    }

    private ServerProcess daemon(String mainClass, String name, Path conf) throws IOException {
        return ServerProcess.start(mainClass, JAVA_OPTIONS, conf, List.of(), directory.resolve(name + ".out"));
    }

    private static boolean hasNode(YarnClient client) throws IOException {
        try {
            return !client.getNodeReports(NodeState.RUNNING).isEmpty();
        } catch (YarnException e) {
            throw new IOException("YARN does not tell its nodes", e);
        } catch (IOException e) {
            // Not listening yet; whoever waits gives up in time.
            return false;
        }
    }

    @Override
    public void close() {
        Collections.reverse(processes);
        for (ServerProcess process : processes) {
            process.close();
        }
        ContainerProcesses.end(directory);
        FileUtil.fullyDelete(directory.toFile());
    }
}
