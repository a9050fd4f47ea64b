import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.master.HMaster;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.zookeeper.MiniZooKeeperCluster;

/**
 * An HBase on a Tatami cluster: ZooKeeper in this process, the master and every region server in a process of its own.
 * The processes end with this one. Used by one thread.
 */
final class HBaseCluster implements AutoCloseable {
    private static final long START_MILLIS_MAX = 120_000;
    private static final int SESSION_MILLIS = 6_000;
    private static final int QUICK_MILLIS_MAX = 5_000;
    private static final int CALL_MILLIS_MAX = 120_000;

    private final Path directory;
    private final MiniZooKeeperCluster zooKeeper;
    private final Configuration settings = new Configuration(false);
    private final Configuration configuration;
    private final List<Process> processes = new ArrayList<>();
    private Process master;

    /** A condition that a program waits for. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws IOException;
    }

    /**
     * @param root the directory of HBase on Tatami
     * @param directory a local directory for ZooKeeper and the settings, with a core-site.xml for Tatami
     */
    HBaseCluster(String root, Path directory) throws IOException, InterruptedException {
        this.directory = directory;
        zooKeeper = new MiniZooKeeperCluster(HBaseConfiguration.create());
        int port = zooKeeper.startup(directory.resolve("zookeeper").toFile());
        set("hbase.rootdir", root);
        set("hbase.cluster.distributed", "true");
        set("hbase.zookeeper.quorum", "localhost");
        set("hbase.zookeeper.property.clientPort", Integer.toString(port));
        set("zookeeper.session.timeout", Integer.toString(SESSION_MILLIS));
        set("hbase.tmp.dir", directory.resolve("tmp").toString());
        set("hbase.master.port", "0");
        set("hbase.master.info.port", "-1");
        set("hbase.master.hostname", "localhost");
        set("hbase.regionserver.info.port", "-1");
        set("hbase.unsafe.regionserver.hostname", "localhost");
        // The master waits no minute for a server that is paused.
        set("hbase.rpc.timeout", Integer.toString(QUICK_MILLIS_MAX));
        set("hbase.client.scanner.timeout.period", Integer.toString(QUICK_MILLIS_MAX));
        // A log is twice a block of the file system by default, and an open file reserves what is left of its block.
        set("hbase.regionserver.hlog.blocksize", Integer.toString(16 << 20));
        // Files that a compaction replaced are put away soon, and not after two minutes.
        set("hbase.hfile.compaction.discharger.interval", "1000");
        set("hbase.regionserver.msginterval", "500");
        try (OutputStream out = Files.newOutputStream(directory.resolve("hbase-site.xml"))) {
            settings.writeXml(out);
        }
        configuration = HBaseConfiguration.create();
        configuration.addResource(directory.resolve("hbase-site.xml").toUri().toURL());
        Runtime.getRuntime().addShutdownHook(new Thread(this::end));
    }

    Configuration configuration() {
        return new Configuration(configuration);
    }

    void startMaster() throws IOException {
        master = start(HMaster.class);
    }

    /** Ends the master as a failing host does. */
    void killMaster() throws InterruptedException {
        master.destroyForcibly().waitFor();
    }

    /** @param port the port that it listens on, by which it is known */
    Process startRegionServer(int port) throws IOException {
        return start(HRegionServer.class, "-D", "hbase.regionserver.port=" + port);
    }

    /** A client that waits for regions which are on their way. */
    Connection connect() throws IOException {
        Configuration patient = configuration();
        patient.setInt("hbase.client.scanner.timeout.period", CALL_MILLIS_MAX);
        patient.setInt("hbase.rpc.timeout", CALL_MILLIS_MAX);
        return ConnectionFactory.createConnection(patient);
    }

    /** A client that soon gives up, for conditions that are asked for again. */
    Connection connectQuickly() throws IOException {
        return ConnectionFactory.createConnection(configuration());
    }

    /** Waits until the master has answered, knows so many region servers, and no region is on its way to one. */
    void awaitServers(int count) throws Exception {
        try (Connection connection = connectQuickly();
                Admin admin = connection.getAdmin()) {
            await(
                    count + " region servers serve",
                    START_MILLIS_MAX,
                    () -> admin.getRegionServers().size() == count
                            && admin.getClusterMetrics().getRegionStatesInTransition().isEmpty());
        }
    }

    /** A condition that cannot be asked for does not hold: a master or a server is on its way. */
    static void await(String what, long millisMax, Condition condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millisMax);
        IOException last = null;
        while (System.nanoTime() < end) {
            try {
                if (condition.holds()) {
                    return;
                }
                last = null;
            } catch (IOException e) {
                last = e;
            }
            Thread.sleep(100);
        }
        throw new IOException("after " + millisMax + " ms it is not so that " + what, last);
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    static void require(boolean truth, String what) {
        if (!truth) {
            throw new IllegalStateException("it is not so that " + what);
        }
    }

    static void signal(Process process, String signal) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO().start().waitFor();
        if (status != 0) {
            throw new IOException("kill -" + signal + " ended with " + status);
        }
    }

    @Override
    public void close() throws IOException {
        end();
        zooKeeper.shutdown();
    }

    private void set(String key, String value) {
        settings.set(key, value);
    }

    private Process start(Class<?> program, String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx512m");
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-opens"))
                .forEach(command::add);
        command.add("-cp");
        command.add(directory + File.pathSeparator + System.getProperty("java.class.path"));
        command.add(program.getName());
        command.addAll(List.of(options));
        command.add("start");
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        synchronized (processes) {
            processes.add(process);
        }
        return process;
    }

    private void end() {
        synchronized (processes) {
            processes.forEach(Process::destroyForcibly);
        }
    }
}
