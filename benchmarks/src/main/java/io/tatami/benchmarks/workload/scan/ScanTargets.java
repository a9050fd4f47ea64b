package io.tatami.benchmarks.workload.scan;

import io.tatami.benchmarks.harness.host.LoopDevice;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.HdfsPeer;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.TatamiPeer;
import io.tatami.benchmarks.harness.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Sets up what is scanned, each with its data on a loop device of its own and all else, such as names and logs, beside
 * it on the disk. What was set up is undone in turn.
 */
final class ScanTargets {
    /** For what a file system keeps beside the file, and HDFS's rule that there must be room for one more block. */
    private static final int SPARE_MEBIBYTES = 1536;

    private final ScanOptions options;
    private final Path work;
    private final Undo undo;

    ScanTargets(ScanOptions options, Path work, Undo undo) {
        this.options = options;
        this.work = work;
        this.undo = undo;
    }

    /**
     * Starts those that can be here; a remark says why one cannot.
     *
     * @param versus {@code hdfs} or empty
     */
    List<ScanTarget> start(String versus, Results results) throws IOException, InterruptedException {
        List<ScanTarget> targets = new ArrayList<>();
        for (String name : List.of("ext4", "xfs")) {
            if (MountedFileSystem.canBeMade(name)) {
                targets.add(mounted(name));
            } else {
                results.remark(name + " is left out: there is no mkfs." + name + ", and it could not be installed");
            }
        }
        if (versus.equals("hdfs")) {
            targets.add(hdfs());
        }
        targets.add(tatami());
        return targets;
    }

    private ScanTarget mounted(String name) throws IOException, InterruptedException {
        LoopDevice device = attach(name);
        MountedFileSystem mounted = mount(name, device, name);
        return target(mounted, device, mounted.directory().toString());
    }

    private ScanTarget hdfs() throws IOException, InterruptedException {
        LoopDevice device = attach("hdfs");
        Path data = Files.createDirectories(
                mount("ext4", device, "hdfs-data").directory().resolve("data"));
        Peer peer = HdfsPeer.start(work.resolve("hdfs"), data);
        undo.add(peer::close);
        return target(peer, device, "");
    }

    private ScanTarget tatami() throws IOException, InterruptedException {
        LoopDevice device = attach("tatami");
        Peer peer = TatamiPeer.startOnDevice(work.resolve("tatami"), device.path());
        undo.add(peer::close);
        return target(peer, device, "");
    }

    private LoopDevice attach(String name) throws IOException, InterruptedException {
        LoopDevice device =
                LoopDevice.attach(work.resolve(name + ".device"), options.mebibytes * 5 / 4 + SPARE_MEBIBYTES);
        undo.add(device::close);
        return device;
    }

    private MountedFileSystem mount(String kind, LoopDevice device, String directory)
            throws IOException, InterruptedException {
        MountedFileSystem mounted = MountedFileSystem.mount(kind, device, work.resolve(directory));
        undo.add(mounted::close);
        return mounted;
    }

    private ScanTarget target(Peer peer, LoopDevice device, String root) throws IOException {
        return new ScanTarget(peer, device, root, options, work, undo);
    }
}
