package io.tatami.benchmarks.prefetch;

import io.tatami.benchmarks.peer.LoopDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A control group whose processes read and write given devices no faster than given speeds. Needs root. */
final class ThrottledGroup implements AutoCloseable {
    private static final Path ROOT = Path.of("/sys/fs/cgroup/blkio");

    private final Path group;

    private ThrottledGroup(Path group) {
        this.group = group;
    }

    /** Whether this machine has the controller, and this process may use it. */
    static boolean isAvailable() {
        return Files.isWritable(ROOT.resolve("cgroup.procs"));
    }

    static ThrottledGroup make(String name) throws IOException {
        Path group =
                ROOT.resolve("tatami-" + name + "-" + ProcessHandle.current().pid());
        Files.createDirectory(group);
        return new ThrottledGroup(group);
    }

    /** From now on, for processes that are in the group or come into it. */
    void limit(LoopDevice device, long bytesPerSecond) throws IOException {
        String rule = device.setting("dev") + " " + bytesPerSecond;
        Files.writeString(group.resolve("blkio.throttle.read_bps_device"), rule);
        Files.writeString(group.resolve("blkio.throttle.write_bps_device"), rule);
    }

    /** Puts a process with all its threads into the group. */
    void add(ProcessHandle process) throws IOException {
        Files.writeString(group.resolve("cgroup.procs"), Long.toString(process.pid()));
    }

    /** Its processes go back to the group above. */
    @Override
    public void close() throws IOException {
        for (String pid : Files.readAllLines(group.resolve("cgroup.procs"))) {
            Files.writeString(ROOT.resolve("cgroup.procs"), pid);
        }
        // A control group is a directory whose files cannot be deleted, and need not be.
        Files.delete(group);
    }
}
