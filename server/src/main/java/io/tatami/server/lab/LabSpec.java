package io.tatami.server.lab;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What a lab is made of.
 *
 * @param directory of everything that it stores; removed with it
 * @param hasNamespaces whether each node has a network, a host name and disks of its own, which needs root; else each
 *     has an address of the loopback interface
 * @param fileSystems that run on the nodes
 * @param hasRackSwitches whether the nodes of a rack share an uplink to the other racks, whose rate can be limited
 * @param javaOptions of every server, behind those of the lab, such as settings
 * @param cacheBytes of each block server's cache tier, a file beside its data; 0 for none
 */
public record LabSpec(
        Path directory,
        Shape shape,
        Limits limits,
        boolean hasNamespaces,
        LabFileSystems fileSystems,
        boolean hasRackSwitches,
        List<String> javaOptions,
        long cacheBytes) {
    public static final int NODES_MAX = 16;

    /** Room for the superblock and some regions of blocks. */
    private static final long CAPACITY_MIN = 512L << 20;

    private static final long CAPACITY_MAX = 1L << 40;

    /**
     * Counts.
     *
     * @param nodes each with a block server
     * @param racks over which nodes are dealt out in turns
     * @param metadataServers on the first nodes; each holds a replica of every group
     * @param shards of the metadata, a power of two
     */
    public record Shape(int nodes, int racks, int metadataServers, int shards) {}

    /**
     * What each node has.
     *
     * @param capacityBytes of its volume, and of its HDFS disk
     */
    public record Limits(LinkRate link, DiskRate disk, long capacityBytes) {}

    public LabSpec {
        directory = directory.toAbsolutePath().normalize();
        javaOptions = List.copyOf(javaOptions);
    }

    /** A lab without limits and without HDFS. */
    public static LabSpec of(Path directory, Shape shape, long capacityBytes) {
        return new LabSpec(
                directory,
                shape,
                new Limits(LinkRate.UNLIMITED, DiskRate.UNLIMITED, capacityBytes),
                isRoot(),
                LabFileSystems.TATAMI,
                false,
                List.of(),
                0);
    }

    public LabSpec withLimits(LinkRate link, DiskRate disk) {
        Limits changed = new Limits(link, disk, limits.capacityBytes());
        return new LabSpec(
                directory, shape, changed, hasNamespaces, fileSystems, hasRackSwitches, javaOptions, cacheBytes);
    }

    public LabSpec onLoopback() {
        return new LabSpec(directory, shape, limits, false, fileSystems, hasRackSwitches, javaOptions, cacheBytes);
    }

    /** HDFS beside Tatami. */
    public LabSpec withHdfs() {
        return with(LabFileSystems.BOTH);
    }

    /** HDFS and no server of Tatami; the nodes have HDFS's disks alone. */
    public LabSpec withHdfsAlone() {
        return with(LabFileSystems.HDFS);
    }

    private LabSpec with(LabFileSystems systems) {
        return new LabSpec(directory, shape, limits, hasNamespaces, systems, hasRackSwitches, javaOptions, cacheBytes);
    }

    /** The nodes of each rack share an uplink, which {@link Lab#slowUplinks} holds to a rate. */
    public LabSpec withRackSwitches() {
        return new LabSpec(directory, shape, limits, hasNamespaces, fileSystems, true, javaOptions, cacheBytes);
    }

    public boolean hasTatami() {
        return fileSystems.hasTatami();
    }

    public boolean hasHdfs() {
        return fileSystems.hasHdfs();
    }

    /** Of each node, as large as the limits say each. */
    int disksEach() {
        return fileSystems == LabFileSystems.BOTH ? 2 : 1;
    }

    public LabSpec withJavaOptions(List<String> options) {
        return new LabSpec(directory, shape, limits, hasNamespaces, fileSystems, hasRackSwitches, options, cacheBytes);
    }

    /** Each block server has a cache tier. */
    public LabSpec withCache(long bytes) {
        return new LabSpec(directory, shape, limits, hasNamespaces, fileSystems, hasRackSwitches, javaOptions, bytes);
    }

    /** Whether this process may make namespaces and loop devices. */
    public static boolean isRoot() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** @throws TatamiException INVALID_ARGUMENT, or UNSUPPORTED where root is needed */
    public void check() throws TatamiException {
        within("--nodes", shape.nodes, 1, NODES_MAX);
        within("--racks", shape.racks, 1, shape.nodes);
        within("--metadata", shape.metadataServers, 1, shape.nodes);
        require(shape.metadataServers % 2 == 1, "--metadata is " + shape.metadataServers + "; write an odd number");
        within("--shards", shape.shards, 1, GroupId.SHARDS_MAX);
        require(Integer.bitCount(shape.shards) == 1, "--shards is " + shape.shards + "; write a power of two");
        require(
                limits.capacityBytes >= CAPACITY_MIN && limits.capacityBytes <= CAPACITY_MAX,
                "--capacity is " + limits.capacityBytes + " bytes; write a size from 512m to 1t");
        require(
                directory.toString().chars().noneMatch(Character::isWhitespace),
                directory + " has white space in it, which hosts files cannot hold; choose another --dir");
        if (!hasNamespaces) {
            checkWithoutRoot();
        }
    }

    private void checkWithoutRoot() throws TatamiException {
        needsRoot(limits.link.bitsPerSecond() > 0, "--rate limits links, which a lab on loopback has not");
        needsRoot(limits.disk.bytesPerSecond() > 0, "--disk-rate limits disks, which a lab on loopback has not");
        needsRoot(hasHdfs(), "--hdfs needs an address of its own for each DataNode");
        needsRoot(hasRackSwitches, "racks on loopback have no uplinks");
    }

    private static void needsRoot(boolean isAsked, String what) throws TatamiException {
        if (isAsked) {
            throw new TatamiException(ErrorCode.UNSUPPORTED, what + "; make the lab as root and without --loopback");
        }
    }

    private static void within(String option, int value, int least, int most) throws TatamiException {
        require(
                value >= least && value <= most,
                option + " is " + value + "; write a number from " + least + " to " + most);
    }

    private static void require(boolean holds, String otherwise) throws TatamiException {
        if (!holds) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, otherwise);
        }
    }

    /** The nodes, in order. */
    public List<LabNode> nodes() {
        return IntStream.rangeClosed(1, shape.nodes)
                .mapToObj(number -> LabNode.of(this, number))
                .toList();
    }
}
