package io.tatami.benchmarks.workload.prefetch;

import io.tatami.benchmarks.harness.host.LoopDevice;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.TatamiPeer;
import io.tatami.hadoop.TatamiFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;

/**
 * A Tatami on a slow device with a cache tier on a fast one, and a Tatami on a fast device; each server may use its
 * devices only at their speeds, once the data sets were loaded. What was set up is undone in turn.
 */
final class PrefetchRig {
    static final org.apache.hadoop.fs.Path FIRST = new org.apache.hadoop.fs.Path("/first");
    static final org.apache.hadoop.fs.Path SECOND = new org.apache.hadoop.fs.Path("/second");

    private static final int SPARE_MEBIBYTES = 64;
    private static final long MEGABYTE = 1_000_000;
    private static final int CALL_BYTES = 4 << 20;

    private final PrefetchOptions options;
    private final Path work;
    private final Undo undo;
    private final TatamiFileSystem slow;
    private final TatamiFileSystem fast;
    private final LoopDevice missDevice;

    PrefetchRig(PrefetchOptions options, Path work, Undo undo) throws IOException, InterruptedException {
        this.options = options;
        this.work = work;
        this.undo = undo;
        LoopDevice slowVolume = attach("slow", 2 * options.dataMebibytes);
        LoopDevice tier = attach("tier", options.tierMebibytes);
        LoopDevice fastVolume = attach("fast", 2 * options.dataMebibytes);
        missDevice = attach("miss", options.tierMebibytes);
        List<String> cache = List.of("--cache", tier.path().toString());
        Peer slowServer = keep(TatamiPeer.startOnDevice(work.resolve("slow-server"), slowVolume.path(), cache));
        Peer fastServer = keep(TatamiPeer.startOnDevice(work.resolve("fast-server"), fastVolume.path(), List.of()));
        slow = loaded(slowServer);
        fast = loaded(fastServer);
        ThrottledGroup slowGroup = group("slow", slowServer);
        slowGroup.limit(slowVolume, options.slowMegabytes * MEGABYTE);
        slowGroup.limit(tier, options.fastMegabytes * MEGABYTE);
        group("fast", fastServer).limit(fastVolume, options.fastMegabytes * MEGABYTE);
        ThrottledGroup own = ThrottledGroup.make("client");
        undo.add(own::close);
        own.limit(missDevice, options.fastMegabytes * MEGABYTE);
        own.add(ProcessHandle.current());
    }

    TatamiFileSystem slow() {
        return slow;
    }

    TatamiFileSystem fast() {
        return fast;
    }

    /** A device like the tier's, for this process to use. */
    Path missDevice() {
        return missDevice.path();
    }

    private LoopDevice attach(String name, int mebibytes) throws IOException, InterruptedException {
        LoopDevice device = LoopDevice.attach(work.resolve(name + ".device"), mebibytes + SPARE_MEBIBYTES);
        undo.add(device::close);
        return device;
    }

    private Peer keep(Peer peer) {
        undo.add(peer::close);
        return peer;
    }

    private ThrottledGroup group(String name, Peer peer) throws IOException {
        ThrottledGroup group = ThrottledGroup.make(name);
        undo.add(group::close);
        for (ProcessHandle server : peer.servers()) {
            group.add(server);
        }
        return group;
    }

    private TatamiFileSystem loaded(Peer peer) throws IOException {
        TatamiFileSystem fs = (TatamiFileSystem) FileSystem.newInstance(peer.configuration());
        undo.add(fs::close);
        load(fs, FIRST, 1);
        load(fs, SECOND, 2);
        return fs;
    }

    private void load(FileSystem fs, org.apache.hadoop.fs.Path file, long seed) throws IOException {
        byte[] bytes = new byte[2 * CALL_BYTES];
        SplittableRandom random = new SplittableRandom(seed);
        random.nextBytes(bytes);
        try (FSDataOutputStream out = fs.create(file)) {
            for (long left = (long) options.dataMebibytes << 20; left > 0; left -= CALL_BYTES) {
                out.write(bytes, random.nextInt(CALL_BYTES), (int) Math.min(left, CALL_BYTES));
            }
        }
    }
}
