package io.tatami.server.lab;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LoopDisk;
import io.tatami.server.lab.host.NetworkNamespace;
import io.tatami.server.lab.host.ProcessMark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes a lab away. It does not go by what is noted in the directory alone: whatever this machine has that is the lab's
 * by its name, its files or its command line is found and removed, also where {@code up} was killed between two steps
 * or the directory is gone.
 */
final class LabRemoval {
    private static final Path MOUNTS = Path.of("/proc/self/mounts");

    /** Processes may start others until they end; not for long. */
    private static final int ROUNDS_MAX = 20;

    private static final long POLL_MILLIS = 50;
    private static final long DETACH_MILLIS_MAX = 60_000;

    private final LabDirectory directory;
    private final boolean isRoot;

    LabRemoval(LabDirectory directory, boolean isRoot) {
        this.directory = directory;
        this.isRoot = isRoot;
    }

    void run() throws IOException, InterruptedException {
        if (isRoot) {
            // First: a process that waits for a slow disk cannot end.
            for (LoopDisk disk : LoopDisk.below(directory.root())) {
                DiskRate.UNLIMITED.apply(disk);
            }
        }
        endProcesses();
        if (isRoot) {
            removeNetwork();
            checkNoMounts();
            detachDisks();
        }
        if (directory.isLab()) {
            directory.delete();
        }
    }

    /** What is left; empty where nothing is. */
    List<String> leftovers() throws IOException, InterruptedException {
        List<String> left = new ArrayList<>();
        processes().forEach(process -> left.add("process " + process.pid()));
        if (isRoot) {
            namespaces().forEach(namespace -> left.add("namespace " + namespace.name()));
            NetworkNamespace.linksWithPrefix(directory.prefix()).forEach(link -> left.add("link " + link));
            LoopDisk.below(directory.root()).forEach(disk -> left.add("loop device " + disk.device()));
        }
        mounts().forEach(mount -> left.add("mount " + mount));
        if (Files.exists(directory.root())) {
            left.add("directory " + directory.root());
        }
        return left;
    }

    private void endProcesses() throws IOException, InterruptedException {
        List<ProcessMark> left = processes();
        for (int round = 0; round < ROUNDS_MAX && !left.isEmpty(); round++) {
            for (ProcessMark process : left) {
                process.signal("KILL");
            }
            for (ProcessMark process : left) {
                process.kill();
            }
            left = processes();
        }
        if (!left.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.UNAVAILABLE,
                    "processes of the lab in " + directory.root() + " go on starting others: " + left
                            + "; end what runs commands on its nodes, and try again");
        }
    }

    private List<ProcessMark> processes() throws IOException, InterruptedException {
        List<ProcessMark> found = new ArrayList<>(ProcessMark.withArgument(directory.mark()));
        for (NetworkNamespace namespace : namespaces()) {
            found.addAll(namespace.processes());
        }
        return found.stream()
                .distinct()
                .filter(process -> process.state() != ProcessMark.State.GONE)
                .toList();
    }

    private List<NetworkNamespace> namespaces() throws IOException {
        return isRoot ? NetworkNamespace.withPrefix(directory.prefix() + "-") : List.of();
    }

    private void removeNetwork() throws IOException, InterruptedException {
        for (NetworkNamespace namespace : namespaces()) {
            namespace.remove();
        }
        for (String link : NetworkNamespace.linksWithPrefix(directory.prefix() + "-")) {
            NetworkNamespace.removeLink(link);
        }
    }

    private void checkNoMounts() throws IOException {
        List<String> mounts = mounts();
        if (!mounts.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.IN_USE,
                    "something is mounted in the lab's directory: " + mounts + "; unmount it, and try again");
        }
    }

    /** A disk that was mounted on a node is let go some moments after the node's last process has ended. */
    private void detachDisks() throws IOException, InterruptedException {
        List<LoopDisk> left = LoopDisk.below(directory.root());
        for (LoopDisk disk : left) {
            disk.detach();
        }
        for (long waited = 0; !left.isEmpty(); waited += POLL_MILLIS) {
            if (waited >= DETACH_MILLIS_MAX) {
                throw new TatamiException(
                        ErrorCode.IN_USE, "these loop devices are in use still: " + left + "; try again");
            }
            Thread.sleep(POLL_MILLIS);
            left = LoopDisk.below(directory.root());
        }
    }

    /** Of this machine; those of the nodes went with them. */
    private List<String> mounts() throws IOException {
        return Files.readAllLines(MOUNTS).stream()
                .map(line -> line.split(" ", -1)[1])
                .filter(point -> point.startsWith(directory.root() + "/"))
                .toList();
    }
}
