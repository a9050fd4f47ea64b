package io.tatami.benchmarks.harness.yarn;

import io.tatami.benchmarks.harness.host.HostNames;
import io.tatami.benchmarks.harness.host.ServerProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** What YARN's daemons are told here: small heaps, one queue, all on what one machine has. */
final class YarnSettings {
    static final String RESOURCE_MANAGER = "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager";
    static final String NODE_MANAGER = "org.apache.hadoop.yarn.server.nodemanager.NodeManager";
    static final String HISTORY_SERVER = "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer";

    /** What lives shortly, or does little, is there sooner without the second compiler. */
    private static final String QUICK_START = "-XX:TieredStopAtLevel=1";

    static final List<String> JAVA_OPTIONS =
            List.of("-Xmx256m", "-XX:+UseSerialGC", QUICK_START, "--add-opens=java.base/java.lang=ALL-UNNAMED");

    private static final List<String> OF_RESOURCE_MANAGER = List.of(
            "yarn.resourcemanager.address",
            "yarn.resourcemanager.scheduler.address",
            "yarn.resourcemanager.resource-tracker.address",
            "yarn.resourcemanager.admin.address",
            "yarn.resourcemanager.webapp.address",
            "mapreduce.jobhistory.address",
            "mapreduce.jobhistory.webapp.address",
            "mapreduce.jobhistory.admin.address");
    private static final List<String> OF_NODE_MANAGER = List.of(
            "yarn.nodemanager.address", "yarn.nodemanager.localizer.address", "yarn.nodemanager.webapp.address");

    /** All say the same. */
    static final List<String> SITES = List.of("core-site.xml", "yarn-site.xml", "mapred-site.xml");

    /** JVMs that load thousands of classes each: seconds on an idle machine, minutes on one with other work. */
    static final Duration START_LIMIT = Duration.ofMinutes(5);

    /** That all daemons together listen to. */
    static final int PORTS = OF_RESOURCE_MANAGER.size() + OF_NODE_MANAGER.size();

    private static final int CONNECT_MILLIS_MAX = 1_000;
    private static final int CONNECT_PAUSE_MILLIS = 200;

    private YarnSettings() {}

    /**
     * The settings, but for addresses.
     *
     * @param directory of what a NodeManager keeps locally
     * @param conf that is first on the class path of tasks
     * @param base names the default file system
     * @param containersMebibytes which tasks and masters share, 512 each
     * @param taskOptions that the Java of tasks and masters is started with
     */
    static Configuration of(
            Path directory, Path conf, Configuration base, int containersMebibytes, List<String> taskOptions) {
        Configuration configuration = new Configuration(base);
        // A NodeManager that is up before the ResourceManager listens waits 30 s else before it asks once more.
        configuration.setInt("yarn.resourcemanager.connect.retry-interval.ms", 500);
        configuration.set("yarn.nodemanager.aux-services", "mapreduce_shuffle");
        configuration.setInt("mapreduce.shuffle.port", 0);
        configuration.setInt("yarn.nodemanager.resource.cpu-vcores", 4);
        configuration.setInt("yarn.nodemanager.resource.memory-mb", containersMebibytes);
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
        String classPath = conf + "," + System.getProperty("java.class.path").replace(':', ',');
        configuration.set("yarn.application.classpath", classPath);
        configuration.set("mapreduce.application.classpath", classPath);
        configuration.setInt("yarn.app.mapreduce.am.resource.mb", 512);
        String options = "-Xmx320m -XX:+UseSerialGC " + String.join(" ", taskOptions);
        configuration.set("yarn.app.mapreduce.am.command-opts", options + " " + QUICK_START);
        configuration.setInt("mapreduce.map.memory.mb", 512);
        configuration.setInt("mapreduce.reduce.memory.mb", 512);
        configuration.set("mapred.child.java.opts", options);
        configuration.setInt("mapreduce.task.io.sort.mb", 64);
        return configuration;
    }

    /** @param ports {@link #PORTS} of them */
    static void listen(Configuration configuration, String resourceManager, String nodeManager, int[] ports) {
        configuration.set("yarn.resourcemanager.hostname", resourceManager);
        configuration.set("yarn.nodemanager.hostname", nodeManager);
        int next = 0;
        for (String address : OF_RESOURCE_MANAGER) {
            configuration.set(address, resourceManager + ":" + ports[next++]);
        }
        for (String address : OF_NODE_MANAGER) {
            configuration.set(address, nodeManager + ":" + ports[next++]);
        }
    }

    /** Writes the files that daemons and tasks read; returns their directory. */
    static Path write(Configuration configuration, Path conf) throws IOException {
        Files.createDirectories(conf);
        for (String name : SITES) {
            try (OutputStream site = Files.newOutputStream(conf.resolve(name))) {
                configuration.writeXml(site);
            }
        }
        try (OutputStream queues = Files.newOutputStream(conf.resolve("capacity-scheduler.xml"))) {
            oneQueue().writeXml(queues);
        }
        return conf;
    }

    /** The capacity scheduler has no queue of its own; its settings are read from a file of their own. */
    private static Configuration oneQueue() {
        Configuration queues = new Configuration(false);
        queues.set("yarn.scheduler.capacity.root.queues", "default");
        queues.set("yarn.scheduler.capacity.root.default.capacity", "100");
        queues.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0.5");
        return queues;
    }

    /** Waits until a NodeManager runs; fails where one of the daemons ends. */
    static void awaitNode(Configuration configuration, List<ServerProcess> daemons, Duration limit)
            throws IOException, InterruptedException {
        try (YarnClient client = client(configuration)) {
            for (ServerProcess process : daemons) {
                process.awaitReady(() -> runningNodes(client) > 0, limit);
            }
        }
    }

    /** Waits until so many NodeManagers run. */
    static void awaitNodes(Configuration configuration, int nodes, Duration limit)
            throws IOException, InterruptedException {
        long endNanos = System.nanoTime() + limit.toNanos();
        try (YarnClient client = client(configuration)) {
            for (int running = runningNodes(client); running < nodes; running = runningNodes(client)) {
                if (System.nanoTime() - endNanos >= 0) {
                    throw new IOException(running + " of " + nodes + " NodeManagers run after " + limit);
                }
                Thread.sleep(CONNECT_PAUSE_MILLIS);
            }
        }
    }

    /** That gives up soon where nobody listens. */
    private static YarnClient client(Configuration configuration) {
        Configuration impatient = new Configuration(configuration);
        impatient.setInt("yarn.resourcemanager.connect.max-wait.ms", CONNECT_MILLIS_MAX);
        impatient.setInt("yarn.resourcemanager.connect.retry-interval.ms", CONNECT_PAUSE_MILLIS);
        YarnClient client = YarnClient.createYarnClient();
        client.init(impatient);
        client.start();
        return client;
    }

    private static int runningNodes(YarnClient client) throws IOException {
        try {
            return client.getNodeReports(NodeState.RUNNING).size();
        } catch (YarnException e) {
            throw new IOException("YARN does not tell its nodes", e);
        } catch (IOException e) {
            // Not listening yet; the wait has an end of its own.
            return 0;
        }
    }
}
