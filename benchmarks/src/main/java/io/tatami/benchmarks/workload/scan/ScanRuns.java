package io.tatami.benchmarks.workload.scan;

import io.tatami.benchmarks.harness.host.PageCache;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.trace.AddressPlot;
import io.tatami.benchmarks.harness.trace.AddressTrail;
import io.tatami.benchmarks.harness.trace.BlockRequest;
import io.tatami.benchmarks.harness.trace.BlockTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.FileUtil;

/**
 * Scans of one file of random bytes on ext4, XFS, HDFS and Tatami, all set up at once on alike loop devices and scanned
 * in turn, in random order in each run, each time with an empty page cache. After those that count one more of each is
 * traced.
 */
public final class ScanRuns {
    public static final List<String> COLUMNS = List.of(
            "run", "file_system", "mebibytes", "seconds", "mb_per_s", "client_cpu_s_per_gb", "server_cpu_s_per_gb");
    private static final double BYTES_PER_MEBIBYTE = 1 << 20;

    private final ScanOptions options;
    private final String versus;
    private final Path work;
    private final Random random;
    private final Undo undo;
    private final Results results;
    private final Rounds figures = new Rounds();

    /** @param undo takes away what is set up; the caller runs it */
    public ScanRuns(ScanOptions options, String versus, Path work, Random random, Undo undo, Results results) {
        this.options = options;
        this.versus = versus;
        this.work = work.resolve("scan");
        this.random = random;
        this.undo = undo;
        this.results = results;
    }

    /** Measures, or says why it cannot. */
    public void run() throws IOException, InterruptedException {
        if (!PageCache.canBeDropped()) {
            results.remark("no scans: loop devices, mounts and an empty page cache need root");
            return;
        }
        List<ScanTarget> targets = prepare();
        List<ScanTarget> order = new ArrayList<>(targets);
        RoundTurns turns = results.turns(options.runs, order.size());
        for (int run = 1; run <= options.runs; run++) {
            Collections.shuffle(order, random);
            for (ScanTarget target : order) {
                turns.next();
                record(run, target.name(), target.scan());
            }
            figures.keep();
        }
        List<String> names = targets.stream().map(ScanTarget::name).toList();
        new ScanSummary(figures, names).lines().forEach(results::remark);
        trace(targets);
    }

    private List<ScanTarget> prepare() throws IOException, InterruptedException {
        FileUtil.fullyDelete(work.toFile());
        Files.createDirectories(work);
        undo.add(() -> FileUtil.fullyDelete(work.toFile()));
        List<ScanTarget> targets = new ScanTargets(options, work, undo).start(versus, results);
        for (ScanTarget target : targets) {
            target.load();
        }
        PageCache.syncAll();
        for (ScanTarget target : targets) {
            for (int i = 0; i < options.warmUps; i++) {
                target.scan();
            }
            tellSurroundings(target);
        }
        results.remark("checksums are verified by HDFS and Tatami; ext4 and XFS have none for data");
        return targets;
    }

    private void tellSurroundings(ScanTarget target) throws IOException {
        results.remark(String.format(
                "%s: %d MiB scanned in calls of %d KiB on %s, direct I/O %s, scheduler %s, read ahead %s KiB",
                target.name(),
                options.mebibytes,
                options.bufferKibibytes,
                target.device().path(),
                target.device().setting("loop/dio"),
                target.device().setting("queue/scheduler"),
                target.device().setting("queue/read_ahead_kb")));
    }

    private void record(int run, String name, ScanTarget.Outcome outcome) {
        double megabytes = options.mebibytes * BYTES_PER_MEBIBYTE / 1e6;
        double rate = megabytes / outcome.seconds();
        figures.put(name, rate);
        results.row(
                run,
                name,
                options.mebibytes,
                String.format("%.3f", outcome.seconds()),
                String.format("%.0f", rate),
                String.format("%.3f", outcome.clientCpuSeconds() * 1e3 / megabytes),
                String.format("%.3f", outcome.serverCpuSeconds() * 1e3 / megabytes));
    }

    private void trace(List<ScanTarget> targets) throws InterruptedException {
        try {
            BlockTrace trace = BlockTrace.open(undo);
            for (ScanTarget target : targets) {
                trace(target, trace);
            }
        } catch (IOException e) {
            results.remark("no pictures: the kernel's trace of block devices cannot be had: " + e);
        }
    }

    private void trace(ScanTarget target, BlockTrace trace) throws IOException, InterruptedException {
        AddressTrail trail = new AddressTrail(trace.record(target.device().number(), target::scan));
        long deviceBytes = Long.parseLong(target.device().setting("size")) * BlockRequest.SECTOR_BYTES;
        String title = String.format("Scan of %d MiB on %s", options.mebibytes, target.name());
        Path picture = results.file()
                .resolveSibling(results.file().getFileName().toString().replace(".csv", "-" + target.name() + ".svg"));
        Files.writeString(picture, new AddressPlot(title, trail, deviceBytes).svg());
        List<String> foreign = trail.foreign((long) options.mebibytes << 20);
        results.remark(target.name() + ", one more scan, traced: " + trail.describe() + "; foreign: "
                + (foreign.isEmpty() ? "nothing" : String.join(", ", foreign)) + "; " + picture);
    }
}
