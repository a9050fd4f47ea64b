package io.tatami.server.lab;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.files.LockFile;
import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import io.tatami.server.lab.host.ProcessMark;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A cluster on one machine that can be broken: servers killed and paused, links cut and slowed down, disks slowed down
 * and wiped. Everything is in a directory, in processes and in the kernel, so that any process of the same user may
 * open it and go on; {@link #remove} takes all of it away, whatever became of who made it. Used by one thread; one
 * process at a time changes a lab.
 */
public final class Lab {
    /** The variable of the environment that tells a command on which node it runs. */
    public static final String NODE_VARIABLE = "TATAMI_LAB_NODE";

    private static final int METADATA_PORT = 9480;
    private static final int PORT_TRIES = 100;

    private final LabSpec spec;
    private final LabDirectory directory;
    private final NodeIsolation isolation;
    private final LabServers servers;

    private Lab(LabSpec spec, int metadataPort) {
        this.spec = spec;
        this.directory = new LabDirectory(spec.directory());
        this.isolation = spec.hasNamespaces() ? new NamespaceIsolation(spec) : new LoopbackIsolation(spec);
        this.servers = new LabServers(spec, isolation, metadataPort);
    }

    /** Which side of a link between two nodes is cut, seen from the first. */
    public enum Direction {
        BOTH,
        /** What is sent to it. */
        IN,
        /** What it sends. */
        OUT
    }

    /**
     * Makes a lab, and returns when it serves. Where that fails, what was made is taken away again.
     *
     * @throws TatamiException INVALID_ARGUMENT, ALREADY_EXISTS, UNSUPPORTED, NO_SPACE before anything is made
     */
    public static Lab up(LabSpec spec) throws IOException, InterruptedException {
        check(spec);
        LabDirectory directory = new LabDirectory(spec.directory());
        int port = spec.hasNamespaces() ? METADATA_PORT : freePort(spec.nodes());
        directory.create(spec, port);
        Lab lab = new Lab(spec, port);
        locked(directory, lab::makeOrRemove);
        return lab;
    }

    /** What is done by one command at a time. */
    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    private static void locked(LabDirectory directory, Step step) throws IOException, InterruptedException {
        LockFile lock = directory.lock();
        try {
            step.run();
        } finally {
            lock.close();
        }
    }

    private void makeOrRemove() throws IOException, InterruptedException {
        try {
            make();
        } catch (IOException | InterruptedException | RuntimeException e) {
            removeAfter(e, directory);
            throw e;
        }
    }

    private static void check(LabSpec spec) throws IOException {
        spec.check();
        if (spec.hasNamespaces() && !LabSpec.isRoot()) {
            throw new TatamiException(ErrorCode.UNSUPPORTED, "namespaces need root; make the lab with --loopback");
        }
        if (spec.limits().disk().bytesPerSecond() > 0 && !DiskRate.isAvailable()) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED, "this machine has no blkio controller of cgroup v1; leave --disk-rate out");
        }
        if (spec.hasNamespaces()) {
            NamespaceIsolation.checkPrograms(spec.hasHdfs());
        }
        if (spec.hasHdfs()) {
            LabServers.checkHdfs();
        }
        checkSpace(spec);
    }

    private static void checkSpace(LabSpec spec) throws IOException {
        long needed =
                (long) spec.shape().nodes() * spec.disksEach() * spec.limits().capacityBytes();
        Path present = spec.directory();
        while (!Files.exists(present)) {
            present = present.resolveSibling(".").normalize();
        }
        long free = Files.getFileStore(present).getUsableSpace();
        if (free < needed) {
            throw new TatamiException(
                    ErrorCode.NO_SPACE,
                    "the disks of the nodes may grow to " + needed + " bytes, and the file system of "
                            + spec.directory() + " has " + free + " free; give a smaller --capacity, or another --dir");
        }
    }

    private static void removeAfter(Exception failure, LabDirectory directory) throws InterruptedException {
        try {
            new LabRemoval(directory, LabSpec.isRoot()).run();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** One that no program listens at, at any node's address. */
    private static int freePort(List<LabNode> nodes) throws IOException {
        for (int i = 0; i < PORT_TRIES; i++) {
            int port;
            try (ServerSocket any = new ServerSocket()) {
                any.bind(new InetSocketAddress(nodes.get(0).address(), 0));
                port = any.getLocalPort();
            }
            if (port < 65_000 && isFree(nodes, port)) {
                return port;
            }
        }
        throw new TatamiException(ErrorCode.IN_USE, "no port is free at the addresses of all nodes");
    }

    private static boolean isFree(List<LabNode> nodes, int port) {
        for (LabNode node : nodes) {
            // A member of a replicated group listens at the second as well.
            for (int offset : new int[] {0, 100}) {
                try (ServerSocket socket = new ServerSocket()) {
                    socket.bind(new InetSocketAddress(node.address(), port + offset));
                } catch (IOException e) {
                    return false;
                }
            }
        }
        return true;
    }

    private void make() throws IOException, InterruptedException {
        for (LabNode node : spec.nodes()) {
            Files.createDirectories(node.directory());
        }
        new ClientFiles(spec, uri()).write();
        isolation.make();
        servers.startAll();
    }

    /**
     * Opens a lab that is there.
     *
     * @throws TatamiException INVALID_ARGUMENT where there is none, PERMISSION_DENIED where root made it
     */
    public static Lab open(Path path) throws IOException {
        LabDirectory directory = new LabDirectory(path.toAbsolutePath().normalize());
        LabSpec spec = directory.spec();
        checkUser(directory, spec);
        return new Lab(spec, directory.metadataPort());
    }

    private static void checkUser(LabDirectory directory, LabSpec spec) throws TatamiException {
        if (spec.hasNamespaces() && !LabSpec.isRoot()) {
            throw new TatamiException(
                    ErrorCode.PERMISSION_DENIED, "root made the lab in " + directory.root() + "; be root");
        }
    }

    /** Takes a lab away, or what is left of one; returns when nothing is. Does nothing where there is none. */
    public static void remove(Path path) throws IOException, InterruptedException {
        LabDirectory directory = new LabDirectory(path.toAbsolutePath().normalize());
        LabRemoval removal = new LabRemoval(directory, LabSpec.isRoot());
        if (!directory.isLab()) {
            removal.run();
            return;
        }
        try {
            checkUser(directory, directory.spec());
        } catch (TatamiException e) {
            // What cannot be read keeps nobody from taking it away.
            if (e.code() != ErrorCode.CORRUPT) {
                throw e;
            }
        }
        locked(directory, removal::run);
    }

    /** What this machine still has of a lab: processes, namespaces, links, devices, mounts, the directory. */
    public static List<String> leftovers(Path path) throws IOException, InterruptedException {
        LabDirectory directory = new LabDirectory(path.toAbsolutePath().normalize());
        return new LabRemoval(directory, LabSpec.isRoot()).leftovers();
    }

    public LabSpec spec() {
        return spec;
    }

    /** Of Tatami, for clients on the nodes. */
    public String uri() {
        return "tatami://" + servers.authority();
    }

    public List<LabNode> nodes() {
        return spec.nodes();
    }

    /** @throws TatamiException INVALID_ARGUMENT where no node has this name */
    public LabNode node(String name) throws TatamiException {
        return nodes().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new TatamiException(
                        ErrorCode.INVALID_ARGUMENT,
                        "the lab has no node '" + name + "'; it has node1 to node"
                                + spec.shape().nodes()));
    }

    /** The directory of the configuration of HDFS's clients. */
    public Path hdfsConfiguration() {
        return directory.hdfsConfiguration();
    }

    /** Where HDFS keeps blocks, on each node another disk; empty for programs that are on no node. */
    public Path hdfsMount() {
        return directory.hdfsMount();
    }

    public List<NodeReport> report() throws IOException, InterruptedException {
        List<NodeReport> reports = new ArrayList<>();
        for (LabNode node : nodes()) {
            reports.add(report(node));
        }
        return reports;
    }

    public NodeReport report(LabNode node) throws IOException, InterruptedException {
        Map<LabRole, NodeReport.Server> states = new EnumMap<>(LabRole.class);
        for (LabRole role : node.roles()) {
            states.put(
                    role,
                    directory
                            .noted(node, role.word())
                            .map(process -> new NodeReport.Server(OptionalLong.of(process.pid()), process.state()))
                            .orElse(new NodeReport.Server(OptionalLong.empty(), ProcessMark.State.GONE)));
        }
        return new NodeReport(
                node,
                states,
                isolation.cutSenders(node),
                isolation.linkRate(node),
                isolation.diskRate(node),
                isolation.volume(node));
    }

    /** Ends servers as a crash does; does nothing to those that do not run. */
    public void kill(LabNode node, List<LabRole> roles) throws IOException, InterruptedException {
        locked(directory, () -> {
            for (ProcessMark process : processes(node, roles)) {
                process.kill();
            }
        });
    }

    /** Starts servers that do not run, and returns when they serve. */
    public void start(LabNode node, List<LabRole> roles) throws IOException, InterruptedException {
        locked(directory, () -> servers.start(node, check(node, roles)));
    }

    /** Stops servers where they are, as a host that hangs; they keep their connections. */
    public void pause(LabNode node, List<LabRole> roles) throws IOException, InterruptedException {
        signal(node, roles, "STOP");
    }

    public void resume(LabNode node, List<LabRole> roles) throws IOException, InterruptedException {
        signal(node, roles, "CONT");
    }

    private void signal(LabNode node, List<LabRole> roles, String name) throws IOException, InterruptedException {
        locked(directory, () -> {
            for (ProcessMark process : processes(node, roles)) {
                process.signal(name);
            }
        });
    }

    private List<ProcessMark> processes(LabNode node, List<LabRole> roles) throws TatamiException {
        List<ProcessMark> processes = new ArrayList<>();
        for (LabRole role : check(node, roles)) {
            directory.noted(node, role.word()).ifPresent(processes::add);
        }
        return processes;
    }

    private static List<LabRole> check(LabNode node, List<LabRole> roles) throws TatamiException {
        for (LabRole role : roles) {
            if (!node.roles().contains(role)) {
                throw new TatamiException(
                        ErrorCode.INVALID_ARGUMENT,
                        node.name() + " has no " + role.word() + " server; it has " + node.roles());
            }
        }
        return roles;
    }

    /**
     * Cuts links of a node; senders notice nothing. Needs namespaces.
     *
     * @param others at the other ends; the node itself is passed over
     */
    public void cut(LabNode node, List<LabNode> others, Direction direction) throws IOException, InterruptedException {
        locked(directory, () -> {
            for (LabNode other : others) {
                if (!other.equals(node) && direction != Direction.OUT) {
                    isolation.cut(other, node);
                }
                if (!other.equals(node) && direction != Direction.IN) {
                    isolation.cut(node, other);
                }
            }
        });
    }

    /** Takes all cuts of these nodes' links back. */
    public void heal(List<LabNode> healed) throws IOException, InterruptedException {
        locked(directory, () -> {
            for (LabNode node : healed) {
                for (LabNode other : nodes()) {
                    isolation.heal(other, node);
                    isolation.heal(node, other);
                }
            }
        });
    }

    /** Holds a node's link to a rate from now on. Needs namespaces. */
    public void slow(LabNode node, LinkRate rate) throws IOException, InterruptedException {
        locked(directory, () -> isolation.limit(node, rate));
    }

    /**
     * Holds the uplink of each rack to a rate, each way, from now on.
     *
     * @throws TatamiException UNSUPPORTED where racks have no switches
     */
    public void slowUplinks(LinkRate rate) throws IOException, InterruptedException {
        locked(directory, () -> isolation.limitUplinks(rate));
    }

    /**
     * What the kernel holds a rack's uplink to.
     *
     * @param rack from 0
     * @throws TatamiException UNSUPPORTED where racks have no switches
     */
    public LinkRate uplinkRate(int rack) throws IOException, InterruptedException {
        return isolation.uplinkRate(rack);
    }

    /** Holds each of a node's disks to a rate from now on. Needs namespaces. */
    public void slow(LabNode node, DiskRate rate) throws IOException, InterruptedException {
        locked(directory, () -> isolation.limit(node, rate));
    }

    /**
     * Has the device of a node's volume end, as one that is pulled out of a running host: what was on it is lost, and
     * nothing can be read or written there until {@link #wipe}. Needs namespaces.
     */
    public void fail(LabNode node) throws IOException, InterruptedException {
        check(node, List.of(LabRole.BLOCK));
        locked(directory, () -> isolation.fail(node));
    }

    /**
     * Loses a node's volume, with the block server's directory, which belongs to it: what starts there next is a new
     * block server.
     *
     * @throws TatamiException IN_USE where the block server runs
     */
    public void wipe(LabNode node) throws IOException, InterruptedException {
        check(node, List.of(LabRole.BLOCK));
        locked(directory, () -> {
            if (servers.state(node, LabRole.BLOCK) != ProcessMark.State.GONE) {
                throw new TatamiException(
                        ErrorCode.IN_USE,
                        "the block server of " + node.name() + " uses the volume; kill it first: tatami lab kill "
                                + node.name());
            }
            isolation.wipe(node);
            LabDirectory.delete(node.data(LabRole.BLOCK));
        });
    }

    /**
     * A command that runs on a node: in its namespaces, or with its name. Its environment names the cluster in
     * {@code TATAMI_URI}, the host in {@code TATAMI_CLIENT_HOST}, and the configuration of Hadoop's clients in
     * {@code HADOOP_CONF_DIR}.
     */
    public ProcessBuilder command(LabNode node, List<String> command) throws IOException {
        List<String> all = new ArrayList<>(isolation.entering(node));
        all.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(all);
        builder.environment().putAll(environment(node));
        return builder;
    }

    /** What is added to the environment of a command on a node. */
    public Map<String, String> environment(LabNode node) {
        Map<String, String> environment = new HashMap<>(isolation.environment(node));
        environment.put("TATAMI_URI", uri());
        environment.put(NODE_VARIABLE, node.name());
        environment.put("HADOOP_CONF_DIR", node.clientConfiguration().toString());
        return environment;
    }
}
