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
 * HDFS 3.5.0 with one NameNode and one DataNode as real processes on loopback, replication 1. Its configuration is
 * {@code benchmarks/src/main/resources/hdfs-peer.xml}, with ports and directories filled in here.
 */
public final class HdfsPeer implements Peer {
    private static final Duration START_LIMIT = Duration.ofSeconds(90);
    private static final List<String> JAVA_OPTIONS =
            List.of("-Xmx1g", "-XX:+UseParallelGC", "-Dhadoop.root.logger=WARN,console");

    private final Path directory;
    private final Configuration configuration;
    private final List<ServerProcess> processes = new ArrayList<>();

    private HdfsPeer(Path directory, Configuration configuration) {
        this.directory = directory;
        this.configuration = configuration;
    }

    /** Formats and starts HDFS in an empty directory. */
    public static HdfsPeer start(Path directory) throws IOException, InterruptedException {
        return start(directory, directory.resolve("data"));
    }

    /** As {@link #start(Path)}, with the blocks in a directory elsewhere, which stays when the peer is closed. */
    public static HdfsPeer start(Path directory, Path data) throws IOException, InterruptedException {
        Files.createDirectories(directory);
        HdfsPeer peer = new HdfsPeer(directory, configure(directory, data));
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
        Path conf = Files.createDirectories(directory.resolve("conf"));
        try (OutputStream site = Files.newOutputStream(conf.resolve("hdfs-site.xml"))) {
            configuration.writeXml(site);
        }
        Files.copy(conf.resolve("hdfs-site.xml"), conf.resolve("core-site.xml"));
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
        for (ServerProcess process : processes) {
            process.awaitReady(this::hasDataNode, START_LIMIT);
        }
    }

    private ServerProcess daemon(String mainClass, String name, Path conf) throws IOException {
        return ServerProcess.start(mainClass, JAVA_OPTIONS, conf, List.of(), directory.resolve(name + ".out"));
    }

    private boolean hasDataNode() throws IOException {
        Configuration impatient = new Configuration(configuration);
        impatient.setInt("ipc.client.connect.max.retries", 1);
        try (DistributedFileSystem fs = (DistributedFileSystem)
                DistributedFileSystem.newInstance(DistributedFileSystem.getDefaultUri(impatient), impatient)) {
            return fs.getDataNodeStats().length > 0 && !fs.isInSafeMode();
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
