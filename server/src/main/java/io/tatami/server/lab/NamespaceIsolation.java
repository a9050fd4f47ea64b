package io.tatami.server.lab;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.LocalHost;
import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import io.tatami.server.lab.host.LoopDisk;
import io.tatami.server.lab.host.NetworkNamespace;
import io.tatami.server.lab.host.ProcessMark;
import io.tatami.server.lab.host.Program;
import io.tatami.server.lab.host.RackSwitch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Nodes with a network, UTS and mount namespace each, and with disks of their own on loop devices. A process that
 * sleeps, the holder, keeps the two latter namespaces; mounts are in the node's alone, and go with it. Needs root.
 */
final class NamespaceIsolation implements NodeIsolation {
    private static final String PREFIX_BITS = "/24";
    private static final String HOLDER = "holder";
    private static final long POLL_MILLIS = 20;
    private static final long HOLDER_MILLIS_MAX = 60_000;

    /**
     * Its arguments: host name, hosts file, file to make when all is done, and where there is a disk that and where.
     */
    private static final String HOLD = """
            echo "$1" > /proc/sys/kernel/hostname
            mount --bind "$2" /etc/hosts
            mount -t tmpfs -o size=1g,mode=1777 tatami-lab /dev/shm
            if [ $# -gt 3 ]; then mount "$4" "$5"; fi
            : > "$3"
            exec sleep infinity
            """;

    /** Its arguments: the group's file, and the command. */
    private static final String JOIN_GROUP = "if [ -w \"$0\" ]; then echo $$ > \"$0\"; fi; exec \"$@\"";

    private static final List<String> PROGRAMS =
            List.of("ip", "tc", "nsenter", "unshare", "setsid", "mount", "losetup", "blkdiscard");

    private final LabSpec spec;
    private final LabDirectory directory;
    private final List<LabNode> nodes;

    NamespaceIsolation(LabSpec spec) {
        this.spec = spec;
        this.directory = new LabDirectory(spec.directory());
        this.nodes = spec.nodes();
    }

    /** @throws TatamiException UNSUPPORTED */
    static void checkPrograms(boolean hasHdfs) throws TatamiException {
        List<String> needed = new ArrayList<>(PROGRAMS);
        if (hasHdfs) {
            needed.add("mkfs.ext4");
        }
        List<String> missing =
                needed.stream().filter(program -> !Program.isOnPath(program)).toList();
        if (!missing.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED,
                    "a lab with namespaces needs programs that are not on the PATH: " + String.join(", ", missing)
                            + "; install iproute2, util-linux and e2fsprogs, or make the lab with --loopback");
        }
    }

    private NetworkNamespace namespace(LabNode node) {
        return new NetworkNamespace(directory.prefix() + "-n" + node.number());
    }

    @Override
    public void make() throws IOException, InterruptedException {
        String bridge = directory.prefix() + "-br";
        NetworkNamespace.makeBridge(bridge);
        if (spec.hasRackSwitches()) {
            for (int rack = 0; rack < spec.shape().racks(); rack++) {
                rackSwitch(rack).make(bridge);
            }
        }
        for (LabNode node : nodes) {
            String nearest =
                    spec.hasRackSwitches() ? rackSwitch(node.rackNumber(spec)).bridge() : bridge;
            namespace(node).make(nearest, node.address() + PREFIX_BITS);
            spec.limits().link().apply(namespace(node));
            if (spec.hasTatami()) {
                makeDisk(volumeFile(node));
            }
            if (spec.hasHdfs()) {
                LoopDisk disk = makeDisk(hdfsFile(node));
                Program.run("mkfs.ext4", "-q", disk.device().toString());
            }
            hold(node);
        }
    }

    private RackSwitch rackSwitch(int rack) throws TatamiException {
        if (!spec.hasRackSwitches()) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED, "the racks of the lab in " + directory.root() + " have no uplinks");
        }
        return RackSwitch.of(directory.prefix(), rack);
    }

    private LoopDisk makeDisk(Path file) throws IOException, InterruptedException {
        LoopDisk disk = LoopDisk.attach(file, spec.limits().capacityBytes());
        // Also where there is none: the kernel keeps the limit of a device that had the same number.
        spec.limits().disk().apply(disk);
        return disk;
    }

    private static Path volumeFile(LabNode node) {
        return node.directory().resolve("volume.disk");
    }

    private static Path hdfsFile(LabNode node) {
        return node.directory().resolve("hdfs.disk");
    }

    private void hold(LabNode node) throws IOException, InterruptedException {
        Path done = node.directory().resolve("held");
        List<String> command = new ArrayList<>(List.of("setsid", "nsenter"));
        command.add("--net=" + namespace(node).file());
        command.addAll(List.of("unshare", "--mount", "--uts", "sh", "-ec", HOLD, directory.mark()));
        command.addAll(List.of(node.name(), directory.hosts().toString(), done.toString()));
        if (spec.hasHdfs()) {
            command.add(disk(hdfsFile(node)).device().toString());
            command.add(directory.hdfsMount().toString());
        }
        Path output = node.directory().resolve(HOLDER + ".out");
        Process holder = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        directory.note(node, HOLDER, ProcessMark.ofStarted(holder));
        for (long waited = 0; !Files.exists(done); waited += POLL_MILLIS) {
            if (waited >= HOLDER_MILLIS_MAX || holder.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new TatamiException(
                        ErrorCode.IO_ERROR,
                        "the namespaces of " + node.name() + " were not made: " + Files.readString(output));
            }
        }
    }

    private ProcessMark holder(LabNode node) throws TatamiException {
        return directory
                .noted(node, HOLDER)
                .filter(holder -> holder.state() != ProcessMark.State.GONE)
                .orElseThrow(() -> new TatamiException(
                        ErrorCode.UNAVAILABLE,
                        "the namespaces of " + node.name() + " are gone, as after a restart of this machine; take the"
                                + " lab away and make it anew: tatami lab down --dir " + directory.root()));
    }

    @Override
    public List<String> entering(LabNode node) throws TatamiException {
        String holder = Long.toString(holder(node).pid());
        return List.of(
                "nsenter",
                "--target",
                holder,
                "--net",
                "--mount",
                "--uts",
                "sh",
                "-c",
                JOIN_GROUP,
                DiskRate.processes().toString());
    }

    @Override
    public List<String> javaOptions(LabNode node) {
        return List.of();
    }

    @Override
    public Map<String, String> environment(LabNode node) {
        return Map.of(LocalHost.ENVIRONMENT_NAME, node.name());
    }

    private LoopDisk disk(Path file) throws IOException, InterruptedException {
        return LoopDisk.of(file)
                .orElseThrow(() -> new TatamiException(
                        ErrorCode.UNAVAILABLE,
                        file + " is no loop device any more, as after a restart of this machine; take the lab away and"
                                + " make it anew: tatami lab down --dir " + directory.root()));
    }

    private List<LoopDisk> disks(LabNode node) throws IOException, InterruptedException {
        return switch (spec.fileSystems()) {
            case TATAMI -> List.of(disk(volumeFile(node)));
            case HDFS -> List.of(disk(hdfsFile(node)));
            case BOTH -> List.of(disk(volumeFile(node)), disk(hdfsFile(node)));
        };
    }

    @Override
    public Path volume(LabNode node) throws IOException, InterruptedException {
        return disks(node).get(0).device();
    }

    @Override
    public void fail(LabNode node) throws IOException, InterruptedException {
        disk(volumeFile(node)).shrink();
    }

    @Override
    public void wipe(LabNode node) throws IOException, InterruptedException {
        disk(volumeFile(node)).wipe(spec.limits().capacityBytes());
    }

    @Override
    public void cut(LabNode sender, LabNode receiver) throws IOException, InterruptedException {
        namespace(receiver).drop(sender.address());
    }

    @Override
    public void heal(LabNode sender, LabNode receiver) throws IOException, InterruptedException {
        namespace(receiver).accept(sender.address());
    }

    @Override
    public List<LabNode> cutSenders(LabNode receiver) throws IOException, InterruptedException {
        List<String> dropped = namespace(receiver).dropped();
        return nodes.stream().filter(node -> dropped.contains(node.address())).toList();
    }

    @Override
    public void limit(LabNode node, LinkRate rate) throws IOException, InterruptedException {
        rate.apply(namespace(node));
    }

    @Override
    public void limit(LabNode node, DiskRate rate) throws IOException, InterruptedException {
        for (LoopDisk disk : disks(node)) {
            rate.apply(disk);
        }
    }

    @Override
    public void limitUplinks(LinkRate rate) throws IOException, InterruptedException {
        for (int rack = 0; rack < spec.shape().racks(); rack++) {
            rate.apply(rackSwitch(rack));
        }
    }

    @Override
    public LinkRate uplinkRate(int rack) throws IOException, InterruptedException {
        return LinkRate.sending(rackSwitch(rack));
    }

    @Override
    public LinkRate linkRate(LabNode node) throws IOException, InterruptedException {
        return LinkRate.sending(namespace(node));
    }

    @Override
    public DiskRate diskRate(LabNode node) throws IOException, InterruptedException {
        return DiskRate.writing(disks(node).get(0));
    }
}
