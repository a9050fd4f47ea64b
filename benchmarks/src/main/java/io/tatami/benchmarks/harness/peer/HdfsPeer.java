package io.tatami.benchmarks.harness.peer;

import io.tatami.benchmarks.harness.host.FreePorts;
import io.tatami.benchmarks.harness.host.HostNames;
import io.tatami.benchmarks.harness.host.ServerProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * HDFS 3.5.0 with one NameNode and a DataNode for each copy as real processes on loopback. Its configuration is
 * {@code benchmarks/src/main/resources/hdfs-peer.xml}, with ports and directories filled in here.
 */
public final class HdfsPeer implements Peer {
    private static final Duration START_LIMIT = Duration.ofSeconds(90);
    private static final List<String> JAVA_OPTIONS =
            List.of("-Xmx1g", "-XX:+UseParallelGC", "-Dhadoop.root.logger=WARN,console");

    private final Path directory;
    private final Configuration configuration;
    private final int dataNodes;
    private final List<ServerProcess> processes = new ArrayList<>();

    private HdfsPeer(Path directory, Configuration configuration, int dataNodes) {
        this.directory = directory;
        this.configuration = configuration;
        this.dataNodes = dataNodes;
    }

    /** Formats and starts HDFS in an empty directory. */
    public static HdfsPeer start(Path directory) throws IOException, InterruptedException {
        return start(directory, directory.resolve("data"));
    }

    /** As {@link #start(Path)}, with the blocks in a directory elsewhere, which stays when the peer is closed. */
    public static HdfsPeer start(Path directory, Path data) throws IOException, InterruptedException {
        return start(directory, data, 1);
    }

    /** As {@link #start(Path)}, with several copies of each block, on as many DataNodes. */
    public static HdfsPeer start(Path directory, int copies) throws IOException, InterruptedException {
        return start(directory, directory.resolve("data"), copies);
    }

    private static HdfsPeer start(Path directory, Path data, int copies) throws IOException, InterruptedException {
        Files.createDirectories(directory);
        Configuration configuration = configure(directory, data);
        configuration.setInt("dfs.replication", copies);
        HdfsPeer peer = new HdfsPeer(directory, configuration, copies);
        try {
            peer.startProcesses();
            return peer;
        } catch (IOException | InterruptedException | RuntimeException e) {
            peer.close();
            throw e;
        }
    }

    /** For the results: what is other than HDFS's defaults, ports and directories left out. */
    public static String settings() {
        Configuration settings = new Configuration(false);
        settings.addResource("hdfs-peer.xml");
        List<String> lines = new ArrayList<>();
        settings.forEach(setting -> lines.add(setting.getKey() + "=" + setting.getValue()));
        return String.join(" ", lines.stream().sorted().toList());
    }

    private static Configuration configure(Path directory, Path data) throws IOException {
        Configuration configuration = new Configuration();
        configuration.addResource("hdfs-peer.xml");
        int[] ports = FreePorts.take(6);
        configuration.set("fs.defaultFS", "hdfs://localhost:" + ports[0]);
        configuration.set("dfs.namenode.http-address", "localhost:" + ports[1]);
        configuration.set("dfs.namenode.https-address", "localhost:" + ports[5]);
        configuration.set("dfs.datanode.address", "localhost:" + ports[2]);
        configuration.set("dfs.datanode.ipc.address", "localhost:" + ports[3]);
        configuration.set("dfs.datanode.http.address", "localhost:" + ports[4]);
        configuration.set(
                "dfs.namenode.name.dir", directory.resolve("name").toUri().toString());
        configuration.set("dfs.datanode.data.dir", data.toUri().toString());
        configuration.set("dfs.domain.socket.path", directory.resolve("socket") + "_PORT");
        configuration.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
        HostNames.configure(configuration);
        return configuration;
    }

    private void startProcesses() throws IOException, InterruptedException {
        Path conf = write(configuration, "conf");
        ServerProcess format = ServerProcess.start(
                "org.apache.hadoop.hdfs.server.namenode.NameNode",
                JAVA_OPTIONS,
                conf,
                List.of("-format", "-force"),
                directory.resolve("format.out"));
        if (format.process().waitFor() != 0) {
            throw new IOException("formatting HDFS failed:\n" + Files.readString(directory.resolve("format.out")));
        }
        processes.add(daemon("org.apache.hadoop.hdfs.server.namenode.NameNode", "namenode", conf));
        processes.add(daemon("org.apache.hadoop.hdfs.server.datanode.DataNode", "datanode", conf));
        for (int further = 2; further <= dataNodes; further++) {
            Path own = write(ofDataNode(further), "conf-" + further);
            processes.add(daemon("org.apache.hadoop.hdfs.server.datanode.DataNode", "datanode-" + further, own));
        }
        for (ServerProcess process : processes) {
            process.awaitReady(this::hasDataNodes, START_LIMIT);
        }
    }

    /** With directories and ports of its own. */
    private Configuration ofDataNode(int number) throws IOException {
        Configuration own = new Configuration(configuration);
        int[] ports = FreePorts.take(3);
        own.set("dfs.datanode.address", "localhost:" + ports[0]);
        own.set("dfs.datanode.ipc.address", "localhost:" + ports[1]);
        own.set("dfs.datanode.http.address", "localhost:" + ports[2]);
        own.set(
                "dfs.datanode.data.dir",
                directory.resolve("data-" + number).toUri().toString());
        own.set("hadoop.tmp.dir", directory.resolve("tmp-" + number).toString());
        return own;
    }

    private Path write(Configuration site, String name) throws IOException {
        Path conf = Files.createDirectories(directory.resolve(name));
        try (OutputStream out = Files.newOutputStream(conf.resolve("hdfs-site.xml"))) {
            site.writeXml(out);
        }
        Files.copy(conf.resolve("hdfs-site.xml"), conf.resolve("core-site.xml"));
        return conf;
    }

    private ServerProcess daemon(String mainClass, String name, Path conf) throws IOException {
        return ServerProcess.start(mainClass, JAVA_OPTIONS, conf, List.of(), directory.resolve(name + ".out"));
    }

    private boolean hasDataNodes() throws IOException {
        Configuration impatient = new Configuration(configuration);
        impatient.setInt("ipc.client.connect.max.retries", 1);
        try (DistributedFileSystem fs = (DistributedFileSystem)
                DistributedFileSystem.newInstance(DistributedFileSystem.getDefaultUri(impatient), impatient)) {
            return fs.getDataNodeStats().length == dataNodes && !fs.isInSafeMode();
        } catch (java.net.ConnectException e) {
            return false;
        }
    }

    @Override
    public String name() {
        return "hdfs";
    }

    @Override
    public Configuration configuration() {
        return configuration;
    }

    @Override
    public List<ProcessHandle> servers() {
        return processes.stream().map(process -> process.process().toHandle()).toList();
    }

    @Override
    public void close() throws IOException {
        for (ServerProcess process : processes) {
            process.close();
        }
        FileUtil.fullyDelete(directory.toFile());
    }
}
