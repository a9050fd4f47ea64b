package io.tatami.benchmarks.workload.locality;

import io.tatami.benchmarks.harness.host.FreePorts;
import io.tatami.benchmarks.harness.host.ServerProcess;
import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabNode;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;

/**
 * Spark's standalone cluster on the nodes of a lab: a Master on the first, and a Worker on each, by the names that
 * block servers and DataNodes have too. Closing it ends all and removes what they wrote locally. Used by one thread.
 */
final class LabSpark implements AutoCloseable {
    private static final String MASTER = "org.apache.spark.deploy.master.Master";
    private static final String WORKER = "org.apache.spark.deploy.worker.Worker";
    private static final String MASTER_SERVES = "New state: ALIVE";
    private static final String WORKER_SERVES = "Successfully registered with master";

    /** JVMs that load thousands of classes each: seconds on an idle machine, minutes on one with other work. */
    private static final Duration START_LIMIT = Duration.ofMinutes(5);

    private static final long APPLICATION_MINUTES_MAX = 30;
    private static final int CORES = 2;

    /** That all daemons together listen to. */
    private static final int PORTS = 3;

    private static final String WEB = "--webui-port";

    /** Spark refuses less than 450 MiB for a driver and an executor. */
    private static final String HEAP = "512m";

    private static final String DAEMON_HEAP = "256m";
    private static final List<String> QUICK_START = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    /** What Spark asks of Java 17. */
    private static final List<String> OPENED = List.of(
            "java.lang",
            "java.lang.invoke",
            "java.lang.reflect",
            "java.io",
            "java.net",
            "java.nio",
            "java.util",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "sun.nio.ch",
            "sun.nio.cs",
            "sun.security.action",
            "sun.util.calendar");

    private final Lab lab;
    private final List<Path> jars;
    private final Configuration site;
    private final Path directory;
    private final SparkHome home;
    private final List<ServerProcess> processes = new ArrayList<>();
    private String master = "";
    private int applications;

    /**
     * Of no process yet.
     *
     * @param jars of Spark, and Tatami's for Hadoop
     * @param site names the default file system, without Hadoop's defaults
     * @param directory for all that is written locally; need not be there
     */
    LabSpark(Lab lab, List<Path> jars, Configuration site, Path directory) {
        this.lab = lab;
        this.jars = jars;
        this.site = new Configuration(site);
        // Spark names its tasks to file systems only where this says so.
        this.site.set("hadoop.caller.context.enabled", "true");
        this.directory = directory;
        this.home = new SparkHome(directory.resolve("home"));
    }

    /** Starts the daemons, once, and returns when the Workers have registered. */
    void start() throws IOException, InterruptedException {
        home.make(jars, site);
        int[] ports = FreePorts.take(PORTS);
        LabNode first = lab.nodes().get(0);
        master = "spark://" + first.name() + ":" + ports[0];
        startDaemon(
                first, MASTER, MASTER_SERVES, "--host", first.name(), "--port", text(ports[0]), WEB, text(ports[1]));
        for (LabNode node : lab.nodes()) {
            String work = directory.resolve("logs").resolve(node.name()).toString();
            List<String> offer = List.of("--cores", text(CORES), "--memory", HEAP, "--work-dir", work, master);
            List<String> words = new ArrayList<>(List.of("--host", node.name(), WEB, text(ports[2])));
            words.addAll(offer);
            startDaemon(node, WORKER, WORKER_SERVES, words.toArray(String[]::new));
        }
    }

    private static String text(int number) {
        return Integer.toString(number);
    }

    /** @param serves what it prints once it does */
    private void startDaemon(LabNode node, String mainClass, String serves, String... words)
            throws IOException, InterruptedException {
        List<String> command = java(DAEMON_HEAP, List.of(), home.classPath());
        command.add(mainClass);
        command.addAll(List.of(words));
        Path output =
                directory.resolve(mainClass.substring(mainClass.lastIndexOf('.') + 1) + "-" + node.name() + ".out");
        ServerProcess process = ServerProcess.start(command(node, command), mainClass, output);
        processes.add(process);
        process.awaitReady(() -> Files.readString(output).contains(serves), START_LIMIT);
    }

    private ProcessBuilder command(LabNode node, List<String> command) throws IOException {
        ProcessBuilder builder = lab.command(node, command);
        builder.environment().put("SPARK_HOME", home.directory().toString());
        builder.environment().put("SPARK_LOCAL_HOSTNAME", node.name());
        builder.environment()
                .put("SPARK_LOCAL_DIRS", directory.resolve(node.name()).toString());
        builder.environment().put("HADOOP_CONF_DIR", home.configuration().toString());
        // Or a Worker looks for a source tree to find it out.
        builder.environment().put("SPARK_SCALA_VERSION", "2.12");
        return builder;
    }

    private static List<String> java(String heap, List<String> options, String classPath) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + heap);
        command.addAll(QUICK_START);
        OPENED.forEach(name -> command.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath));
        return command;
    }

    /**
     * Runs {@link SparkScan} on the first node, with an executor of {@value #CORES} cores on each node before the first
     * task.
     *
     * @param path on the file system that the home's configuration names
     * @param localityWait {@code spark.locality.wait}, such as {@code 3s}
     */
    SparkEventLog scan(String path, String localityWait) throws IOException, InterruptedException {
        String name = "scan-" + ++applications;
        Path events = Files.createDirectories(directory.resolve("events").resolve(name));
        int nodes = lab.nodes().size();
        List<String> options = Stream.of(
                        "spark.master=" + master,
                        "spark.app.name=" + name,
                        "spark.ui.enabled=false",
                        "spark.eventLog.enabled=true",
                        "spark.eventLog.dir=" + events.toUri(),
                        "spark.locality.wait=" + localityWait,
                        "spark.executor.memory=" + HEAP,
                        "spark.executor.cores=" + CORES,
                        "spark.cores.max=" + CORES * nodes,
                        "spark.executor.extraJavaOptions=" + String.join(" ", QUICK_START),
                        // A task finds no executor on its hosts else, because these have not started yet.
                        "spark.scheduler.minRegisteredResourcesRatio=1.0",
                        "spark.scheduler.maxRegisteredResourcesWaitingTime=" + START_LIMIT.toSeconds() + "s")
                .map(setting -> "-D" + setting)
                .toList();
        List<String> command = java(HEAP, options, home.classPath() + ":" + ownClasses());
        command.addAll(List.of(SparkScan.class.getName(), path));
        Path output = directory.resolve(name + ".out");
        try (ServerProcess driver = ServerProcess.start(command(lab.nodes().get(0), command), name, output)) {
            if (!driver.process().waitFor(APPLICATION_MINUTES_MAX, TimeUnit.MINUTES)
                    || driver.process().exitValue() != 0) {
                throw new IOException("an application of Spark failed:\n" + Files.readString(output));
            }
        }
        SparkEventLog log = SparkEventLog.read(onlyFile(events));
        if (log.executors() != nodes) {
            throw new IOException(log.executors() + " executors ran on " + nodes + " nodes; see " + output);
        }
        return log;
    }

    /** Where this program has its classes, or their jar. */
    private static Path ownClasses() throws IOException {
        try {
            return Path.of(SparkScan.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IOException("the classes of the benchmarks are at no path", e);
        }
    }

    private static Path onlyFile(Path events) throws IOException {
        try (Stream<Path> files = Files.list(events)) {
            List<Path> found = files.toList();
            if (found.size() != 1 || found.get(0).toString().endsWith(".inprogress")) {
                throw new IOException("an application of Spark that has ended left these event logs: " + found);
            }
            return found.get(0);
        }
    }

    @Override
    public void close() {
        Collections.reverse(processes);
        processes.forEach(ServerProcess::close);
        FileUtil.fullyDelete(directory.toFile());
    }
}
