package io.tatami.benchmarks.workload.join;

import io.tatami.benchmarks.harness.client.BalancerSwitch;
import io.tatami.benchmarks.harness.host.LoopDevice;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.BlockCluster;
import io.tatami.benchmarks.harness.peer.PeerOrder;
import io.tatami.benchmarks.harness.peer.Peers;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.trace.AddressPlot;
import io.tatami.benchmarks.harness.trace.AddressTrail;
import io.tatami.benchmarks.harness.trace.BlockRequest;
import io.tatami.benchmarks.harness.trace.BlockTrace;
import io.tatami.client.TatamiClient;
import io.tatami.server.lab.host.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.StorageUnit;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * In each round, in random order, a new cluster for each size of blocks and each number of copies that are finished
 * together. Its block servers have all copies, and clients write and read. Then one more block server joins on a loop
 * device, whose requests are traced, and takes over blocks until the last copy counts.
 */
final class BlockJoinRounds {
    static final List<String> COLUMNS = List.of(
            "round",
            "block_size",
            "batch_max",
            "blocks",
            "mebibytes",
            "seconds_to_first",
            "seconds",
            "flushes",
            "device_requests",
            "address_jumps",
            "lacking_after",
            "write_mb_per_s_before",
            "write_mb_per_s_meanwhile",
            "write_mb_per_s_after",
            "read_mb_per_s_before",
            "read_mb_per_s_meanwhile",
            "read_mb_per_s_after",
            "client_failures");

    static final String SECONDS = "seconds";
    static final String FLUSHES = "flushes";
    static final String WRITES_BEFORE = "MB/s written before";
    static final String WRITES = "MB/s written meanwhile";
    static final String READS_BEFORE = "MB/s read before";
    static final String READS = "MB/s read meanwhile";

    private static final double MEGA = 1e6;
    private static final int FILES = 8;
    private static final int CALL_BYTES = 1 << 20;

    /** Beside what is filled in, for the clients' files. */
    private static final int SPARE_MEBIBYTES = 1_024;

    /** The room of a volume for each byte that is filled in: none is nearly full. */
    private static final int ROOM = 2;

    private final JoinOptions options;
    private final BlockJoinOptions blocks;
    private final RoundOptions rounds;
    private final java.nio.file.Path work;
    private final Undo undo;
    private final Results results;
    private final Rounds figures = new Rounds();
    private final Progress progress = new Progress();

    BlockJoinRounds(
            JoinOptions options,
            BlockJoinOptions blocks,
            RoundOptions rounds,
            java.nio.file.Path work,
            Undo undo,
            Results results) {
        this.options = options;
        this.blocks = blocks;
        this.rounds = rounds;
        this.work = work;
        this.undo = undo;
        this.results = results;
    }

    /** What is compared. */
    record Way(String blockSize, int batchMax) {
        String of(String what) {
            return "blocks of " + blockSize + ", " + batchMax + " finished together: " + what;
        }

        long blockBytes() {
            Configuration configuration = new Configuration(false);
            configuration.set("size", blockSize);
            return (long) configuration.getStorageSize("size", blockSize, StorageUnit.BYTES);
        }

        /** Nothing but disks and network holds copies up. */
        List<String> settings(int pulls) {
            return List.of(
                    "-Dtatami.block.copy.batch.max=" + batchMax,
                    "-Dtatami.block.copy.rate=0",
                    "-Dtatami.block.pulls.max=" + pulls,
                    "-Dtatami.block.pulls.queued.max=16384",
                    "-Dtatami.copies.in-flight-max=4096",
                    "-Dtatami.block.credit.size=16m",
                    "-Dtatami.block.heartbeat=1s");
        }
    }

    List<Way> ways() {
        return blocks.blockSizes.stream()
                .flatMap(size -> blocks.batches.stream().map(batch -> new Way(size, batch)))
                .toList();
    }

    /** The figures of all rounds. */
    Rounds run() throws Exception {
        BlockTrace trace = BlockTrace.open(undo);
        LoopDevice device = LoopDevice.attach(work.resolve("join-blocks.device"), mebibytes());
        undo.add(device::close);
        Map<String, Way> ways = new LinkedHashMap<>();
        ways().forEach(way -> ways.put(way.blockSize() + "-" + way.batchMax(), way));
        PeerOrder order = new PeerOrder(List.copyOf(ways.keySet()), rounds.random());
        RoundTurns turns = results.turns(rounds.rounds(), order.size());
        for (int round = 1; round <= rounds.rounds(); round++) {
            for (String name : order.next()) {
                turns.next();
                measure(round, name, Objects.requireNonNull(ways.get(name)), device, trace);
            }
            figures.keep();
        }
        return figures;
    }

    private int mebibytes() {
        return ROOM * options.fillMebibytes + SPARE_MEBIBYTES;
    }

    private void measure(int round, String name, Way way, LoopDevice device, BlockTrace trace) throws Exception {
        progress.tell("round %d: blocks of %s, %d finished together", round, way.blockSize(), way.batchMax());
        java.nio.file.Path directory = work.resolve("join-blocks");
        try (BlockCluster cluster = Peers.inTurn(
                        directory,
                        undo,
                        () -> BlockCluster.start(
                                directory, options.shards, blocks.copies, mebibytes(), way.settings(blocks.pulls)));
                TatamiClient client = Peers.connect(cluster);
                FileSystem fs = FileSystem.newInstance(configuration(cluster, way))) {
            BalancerSwitch.stop(client.cluster());
            // It holds nothing of the turn before, and all of it was written.
            Program.run(
                    "dd", "if=/dev/zero", "of=" + device.path(), "bs=4M", "oflag=direct", "count=" + mebibytes() / 4);
            List<Path> files = fill(fs, way);
            try (ForegroundLoad load = new ForegroundLoad(
                    fs, new Path("/clients"), files, options.clients, (long) (blocks.clientMegabytes * MEGA))) {
                new Turn(round, name, way, cluster, client, fs, files, device, load).measure(trace);
            }
        }
    }

    private Configuration configuration(BlockCluster cluster, Way way) {
        Configuration configuration = cluster.configuration();
        configuration.setInt("tatami.client.replication", blocks.copies);
        configuration.setLong("tatami.client.block.size", way.blockBytes());
        return configuration;
    }

    private List<Path> fill(FileSystem fs, Way way) throws IOException {
        long blockCount = Math.max(1, ((long) options.fillMebibytes << 20) / way.blockBytes());
        int count = (int) Math.min(FILES, blockCount);
        byte[] call = new byte[CALL_BYTES];
        new Random(rounds.seed()).nextBytes(call);
        List<Path> files = new ArrayList<>();
        for (int file = 0; file < count; file++) {
            Path path = new Path("/filled/" + file);
            long bytes = blockCount / count * way.blockBytes();
            try (FSDataOutputStream out = fs.create(path)) {
                for (long done = 0; done < bytes; done += call.length) {
                    out.write(call, 0, (int) Math.min(call.length, bytes - done));
                }
            }
            files.add(path);
        }
        return files;
    }

    /** One cluster's. */
    private final class Turn {
        private final int round;
        private final String name;
        private final Way way;
        private final BlockCluster cluster;
        private final TatamiClient client;
        private final FileSystem fs;
        private final List<Path> files;
        private final LoopDevice device;
        private final ForegroundLoad load;
        private long beganNanos;
        private long endedNanos;

        Turn(
                int round,
                String name,
                Way way,
                BlockCluster cluster,
                TatamiClient client,
                FileSystem fs,
                List<Path> files,
                LoopDevice device,
                ForegroundLoad load) {
            this.round = round;
            this.name = name;
            this.way = way;
            this.cluster = cluster;
            this.client = client;
            this.fs = fs;
            this.files = files;
            this.device = device;
            this.load = load;
        }

        void measure(BlockTrace trace) throws IOException, InterruptedException {
            TimeUnit.SECONDS.sleep(options.warmUpSeconds);
            Rates before = rest();
            TakeOver takeOver = new TakeOver(client, options.shards, cluster.join(device.path()));
            ForegroundLoad.Done begun = load.done();
            AddressTrail trail = new AddressTrail(trace.record(device.number(), () -> take(takeOver)));
            Rates meanwhile = Rates.between(begun, load.done());
            Rates after = rest();
            long made = takeOver.made();
            double seconds = (endedNanos - beganNanos) / 1e9;
            results.row(
                    round,
                    way.blockSize(),
                    way.batchMax(),
                    made,
                    String.format("%.0f", made * (double) way.blockBytes() / CALL_BYTES),
                    String.format("%.2f", (takeOver.firstNanos() - beganNanos) / 1e9),
                    String.format("%.2f", seconds),
                    trail.flushes(),
                    trail.requests().size(),
                    trail.jumps(),
                    takeOver.lacking(),
                    rate(before.written()),
                    rate(meanwhile.written()),
                    rate(after.written()),
                    rate(before.read()),
                    rate(meanwhile.read()),
                    rate(after.read()),
                    load.failures());
            figures.put(way.of(SECONDS), seconds);
            figures.put(way.of(FLUSHES), trail.flushes());
            figures.put(way.of(WRITES_BEFORE), before.written());
            figures.put(way.of(WRITES), meanwhile.written());
            figures.put(way.of(READS_BEFORE), before.read());
            figures.put(way.of(READS), meanwhile.read());
            draw(trail);
            if (takeOver.lacking() > 0) {
                throw new IOException("blocks have fewer copies than they are to have");
            }
        }

        private Rates rest() throws InterruptedException {
            ForegroundLoad.Done begun = load.done();
            TimeUnit.SECONDS.sleep(options.seconds);
            return Rates.between(begun, load.done());
        }

        private void take(TakeOver takeOver) throws IOException, InterruptedException {
            long blockCount = 0;
            for (Path file : files) {
                blockCount += fs.getFileStatus(file).getLen() / way.blockBytes();
            }
            beganNanos = System.nanoTime();
            switch (blocks.by) {
                case REPLICATION -> takeOver.byReplication(fs, files, blocks.copies + 1, blockCount);
                case BALANCE -> takeOver.byBalance();
            }
            endedNanos = System.nanoTime();
        }

        private void draw(AddressTrail trail) throws IOException {
            String file = results.file().getFileName().toString().replace(".csv", "-" + name + "-" + round + ".svg");
            long deviceBytes = Long.parseLong(device.setting("size")) * BlockRequest.SECTOR_BYTES;
            String title = String.format(
                    "A server takes over blocks of %s, %d finished together", way.blockSize(), way.batchMax());
            Files.writeString(results.file().resolveSibling(file), new AddressPlot(title, trail, deviceBytes).svg());
        }
    }

    /** What clients write and read, in MB/s. */
    private record Rates(double written, double read) {
        static Rates between(ForegroundLoad.Done begun, ForegroundLoad.Done ended) {
            double seconds = (ended.nanos() - begun.nanos()) / 1e9;
            return new Rates(
                    (ended.writtenBytes() - begun.writtenBytes()) / MEGA / seconds,
                    (ended.readBytes() - begun.readBytes()) / MEGA / seconds);
        }
    }

    private static String rate(double megabytes) {
        return String.format("%.1f", megabytes);
    }
}
