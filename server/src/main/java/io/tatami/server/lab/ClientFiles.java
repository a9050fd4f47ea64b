package io.tatami.server.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The text files by which programs find the nodes, the racks and the two file systems. Names need no escapes in XML.
 */
final class ClientFiles {
    private static final String LOCALHOST = "127.0.0.1 localhost ";
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    private final LabDirectory directory;
    private final LabSpec spec;
    private final List<LabNode> nodes;
    private final String uri;

    ClientFiles(LabSpec spec, String uri) {
        this.spec = spec;
        this.directory = new LabDirectory(spec.directory());
        this.nodes = spec.nodes();
        this.uri = uri;
    }

    void write() throws IOException {
        Files.writeString(directory.hosts(), hosts());
        Files.writeString(directory.topology(), topology());
        for (LabNode node : nodes) {
            Files.createDirectories(node.clientConfiguration());
            Files.writeString(node.clientConfiguration().resolve("core-site.xml"), site(ofClient(node)));
        }
        if (spec.hasHdfs()) {
            Files.createDirectories(directory.hdfsMount());
            Files.createDirectories(directory.hdfsConfiguration());
            // Hadoop reads hdfs-default.xml after core-site.xml: what is in that one alone would be overridden.
            for (String file : List.of("core-site.xml", "hdfs-site.xml")) {
                Files.writeString(directory.hdfsConfiguration().resolve(file), site(ofHdfs()));
            }
        }
    }

    /** Programs look up the name of the machine, too, where nodes have none of their own. */
    private String hosts() throws IOException {
        String own = spec.hasNamespaces()
                ? ""
                : Files.readString(HOST_NAME, StandardCharsets.UTF_8).strip();
        StringBuilder text = new StringBuilder(LOCALHOST).append(own).append('\n');
        nodes.forEach(node ->
                text.append(node.address()).append(' ').append(node.name()).append('\n'));
        return text.toString();
    }

    private String topology() {
        StringBuilder text = new StringBuilder();
        for (LabNode node : nodes) {
            text.append(node.name()).append(' ').append(node.rack()).append('\n');
            text.append(node.address()).append(' ').append(node.rack()).append('\n');
        }
        return text.toString();
    }

    private Map<String, String> ofTopology() {
        return Map.of(
                "net.topology.node.switch.mapping.impl",
                "org.apache.hadoop.net.TableMapping",
                "net.topology.table.file.name",
                directory.topology().toString());
    }

    private Map<String, String> ofClient(LabNode node) {
        Map<String, String> values = new LinkedHashMap<>(ofTopology());
        values.put("fs.defaultFS", uri);
        values.put("fs.AbstractFileSystem.tatami.impl", "io.tatami.hadoop.TatamiFs");
        values.put("tatami.client.host", node.name());
        return values;
    }

    private Map<String, String> ofHdfs() {
        Map<String, String> values = new LinkedHashMap<>(ofTopology());
        LabNode first = nodes.get(0);
        values.put("fs.defaultFS", "hdfs://" + first.name() + ":8020");
        values.put("dfs.namenode.name.dir", "file://" + first.directory().resolve(LabRole.NAMENODE.word()));
        values.put("dfs.datanode.data.dir", "file://" + directory.hdfsMount() + "/data");
        values.put("dfs.replication", Integer.toString(Math.min(3, nodes.size())));
        values.put("dfs.namenode.safemode.extension", "0");
        // By default a DataNode keeps a gigabyte free, which the disk of a small lab has not.
        values.put("dfs.datanode.round-robin-volume-choosing-policy.additional-available-space", "0");
        // Addresses of the closed network have no names in DNS.
        values.put("dfs.namenode.datanode.registration.ip-hostname-check", "false");
        values.put("hadoop.http.authentication.kerberos.principal", "HTTP/localhost@LOCALHOST");
        values.put("hadoop.tmp.dir", directory.hdfsMount() + "/tmp");
        return values;
    }

    private static String site(Map<String, String> values) {
        StringBuilder text = new StringBuilder("<?xml version=\"1.0\"?>\n<configuration>\n");
        values.forEach((name, value) -> text.append("  <property><name>")
                .append(name)
                .append("</name><value>")
                .append(value)
                .append("</value></property>\n"));
        return text.append("</configuration>\n").toString();
    }
}
