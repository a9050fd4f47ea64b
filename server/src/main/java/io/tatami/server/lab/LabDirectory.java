package io.tatami.server.lab;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.files.DurableFile;
import io.tatami.files.LockFile;
import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import io.tatami.server.lab.host.ProcessMark;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * What a lab stores.
 *
 * <pre>
 *  DIR/lab.properties   what it is made of; written before anything else is made
 *  DIR/lock             locked by the command that changes it
 *  DIR/hosts            names and addresses of the nodes, as in hosts(5)
 *  DIR/topology.table   names and addresses with their racks, for net.topology.table.file.name
 *  DIR/hdfs-conf        configuration of HDFS, for its servers and clients
 *  DIR/hdfs             where each node has its HDFS disk
 *  DIR/nodes/NAME       the directories, disks, logs and process ids of a node
 * </pre>
 */
record LabDirectory(Path root) {
    /** Left by a command that was killed before it had written the first file. */
    private static final String UNFINISHED = "lab.properties.new";

    private static final int LOCK_TRIES = 400;
    private static final long LOCK_PAUSE_MILLIS = 25;

    private Path specFile() {
        return root.resolve("lab.properties");
    }

    Path hosts() {
        return root.resolve("hosts");
    }

    Path topology() {
        return root.resolve("topology.table");
    }

    Path node(String name) {
        return root.resolve("nodes").resolve(name);
    }

    Path hdfsConfiguration() {
        return root.resolve("hdfs-conf");
    }

    /** Where HDFS keeps blocks: in each node's mount namespace a disk of that node, elsewhere an empty directory. */
    Path hdfsMount() {
        return root.resolve("hdfs");
    }

    /** What the kernel's objects of this lab begin with; 10 characters, as a name of a link has at most 15. */
    String prefix() {
        CRC32C sum = new CRC32C();
        sum.update(root.toString().getBytes(StandardCharsets.UTF_8));
        return String.format("tl%08x", sum.getValue());
    }

    /** An argument of every server's command line. */
    String mark() {
        return "-Dtatami.lab=" + root;
    }

    boolean isLab() {
        return Files.exists(specFile());
    }

    /** Waits ten seconds for another command. */
    LockFile lock() throws IOException, InterruptedException {
        for (int i = 0; i < LOCK_TRIES; i++) {
            Optional<LockFile> lock = LockFile.take(root.resolve("lock"));
            if (lock.isPresent()) {
                return lock.get();
            }
            Thread.sleep(LOCK_PAUSE_MILLIS);
        }
        throw new TatamiException(ErrorCode.IN_USE, "another command changes the lab in " + root + "; try again");
    }

    /**
     * Makes the directory and notes what is going to be in it.
     *
     * @throws TatamiException ALREADY_EXISTS where there is a lab, or anything else
     */
    void create(LabSpec spec, int metadataPort) throws IOException {
        if (isLab()) {
            throw new TatamiException(
                    ErrorCode.ALREADY_EXISTS, "a lab is in " + root + " already; first: tatami lab down --dir " + root);
        }
        Files.createDirectories(root);
        try (Stream<Path> entries = Files.list(root)) {
            if (entries.anyMatch(entry -> !entry.equals(root.resolve(UNFINISHED)))) {
                throw new TatamiException(
                        ErrorCode.ALREADY_EXISTS, root + " is not empty, and no lab; choose another --dir");
            }
        }
        Properties properties = new Properties();
        properties.setProperty("nodes", Integer.toString(spec.shape().nodes()));
        properties.setProperty("racks", Integer.toString(spec.shape().racks()));
        properties.setProperty("metadata", Integer.toString(spec.shape().metadataServers()));
        properties.setProperty("shards", Integer.toString(spec.shape().shards()));
        properties.setProperty("link.bits", Long.toString(spec.limits().link().bitsPerSecond()));
        properties.setProperty("disk.bytes", Long.toString(spec.limits().disk().bytesPerSecond()));
        properties.setProperty("capacity.bytes", Long.toString(spec.limits().capacityBytes()));
        properties.setProperty("namespaces", Boolean.toString(spec.hasNamespaces()));
        properties.setProperty("file.systems", spec.fileSystems().name());
        properties.setProperty("rack.switches", Boolean.toString(spec.hasRackSwitches()));
        properties.setProperty("java.options", String.join("\n", spec.javaOptions()));
        properties.setProperty("cache.bytes", Long.toString(spec.cacheBytes()));
        properties.setProperty("metadata.port", Integer.toString(metadataPort));
        StringWriter text = new StringWriter();
        properties.store(text, null);
        DurableFile.replace(specFile(), text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private Properties properties() throws IOException {
        byte[] text = DurableFile.read(specFile())
                .orElseThrow(() -> new TatamiException(
                        ErrorCode.INVALID_ARGUMENT,
                        "there is no lab in " + root + "; make one with 'tatami lab up', or name it with --dir"));
        Properties properties = new Properties();
        properties.load(new StringReader(new String(text, StandardCharsets.UTF_8)));
        return properties;
    }

    /** @throws TatamiException INVALID_ARGUMENT where there is no lab */
    LabSpec spec() throws IOException {
        Properties properties = properties();
        return new LabSpec(
                root,
                new LabSpec.Shape(
                        count(properties, "nodes"),
                        count(properties, "racks"),
                        count(properties, "metadata"),
                        count(properties, "shards")),
                new LabSpec.Limits(
                        new LinkRate(number(properties, "link.bits")),
                        new DiskRate(number(properties, "disk.bytes")),
                        number(properties, "capacity.bytes")),
                Boolean.parseBoolean(properties.getProperty("namespaces")),
                fileSystems(properties),
                Boolean.parseBoolean(properties.getProperty("rack.switches")),
                properties
                        .getProperty("java.options", "")
                        .lines()
                        .filter(option -> !option.isEmpty())
                        .toList(),
                number(properties, "cache.bytes"));
    }

    private LabFileSystems fileSystems(Properties properties) throws TatamiException {
        try {
            return LabFileSystems.valueOf(properties.getProperty("file.systems", ""));
        } catch (IllegalArgumentException e) {
            throw untold("file.systems", e);
        }
    }

    /** The same on every node. */
    int metadataPort() throws IOException {
        return count(properties(), "metadata.port");
    }

    private int count(Properties properties, String key) throws TatamiException {
        return Math.toIntExact(number(properties, key));
    }

    private long number(Properties properties, String key) throws TatamiException {
        try {
            return Long.parseLong(properties.getProperty(key, ""));
        } catch (NumberFormatException e) {
            throw untold(key, e);
        }
    }

    private TatamiException untold(String key, IllegalArgumentException cause) {
        return new TatamiException(
                ErrorCode.CORRUPT,
                specFile() + " does not tell " + key + "; take the lab away: tatami lab down --dir " + root,
                cause);
    }

    /** Notes a process of a node. */
    void note(LabNode node, String word, ProcessMark process) throws TatamiException {
        DurableFile.replace(node.processFile(word), process.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** The process that was noted, which may be gone; empty where none ever was. */
    Optional<ProcessMark> noted(LabNode node, String word) throws TatamiException {
        return DurableFile.read(node.processFile(word))
                .flatMap(text -> ProcessMark.parse(new String(text, StandardCharsets.UTF_8)));
    }

    /** Removes the directory with all that is in it; follows no link. */
    void delete() throws IOException {
        delete(root);
    }

    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> entries = Files.walk(directory)) {
            List<Path> deepestFirst = entries.sorted(Comparator.reverseOrder()).toList();
            for (Path entry : deepestFirst) {
                Files.deleteIfExists(entry);
            }
        }
    }
}
