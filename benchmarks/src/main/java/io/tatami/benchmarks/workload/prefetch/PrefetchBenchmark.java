package io.tatami.benchmarks.workload.prefetch;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RunPlace;
import io.tatami.client.model.AccessPlan;
import io.tatami.hadoop.TatamiFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.FSDataInputStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code tatami bench prefetch}: a program reads one data set, computes, reads another, computes. The speed of its
 * reading, with the data on a slow volume alone, on a fast one alone, behind a cache that is filled on a miss, and with
 * an access plan; the last also with too little computing to hide the staging, and with a plan that is made when the
 * reading begins.
 */
@Command(
        name = "prefetch",
        mixinStandardHelpOptions = true,
        description =
                "Read, compute, read, compute: a slow and a fast volume, a cache filled on a miss, an access plan."
                        + " Needs root, for loop devices and their speeds.")
public final class PrefetchBenchmark implements Callable<Integer> {
    private static final List<String> COLUMNS =
            List.of("round", "scenario", "read_mib", "read_s", "mb_per_s", "total_s", "cached_mib", "late_mib");
    private static final long PROGRESS_MILLIS = 100;
    private static final int STEPS_WITHOUT_CHANGE = 20;

    @Mixin
    private PrefetchOptions options = new PrefetchOptions();

    @Mixin
    private RunPlace place = new RunPlace();

    @Mixin
    private RoundOptions rounds = new RoundOptions(3);

    private long cachedBytes;
    private long lateBytes;

    private enum Scenario {
        SLOW,
        FAST,
        ON_MISS,
        PLAN,
        PLAN_LITTLE_COMPUTE,
        PLAN_TOO_LATE;

        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Reads a file from its first byte to its last. */
    @FunctionalInterface
    private interface Scan {
        void read(org.apache.hadoop.fs.Path file) throws IOException;
    }

    @Override
    public Integer call() throws Exception {
        if (!ThrottledGroup.isAvailable()) {
            System.err.println("tatami: bench prefetch needs root and cgroup v1's blkio, to give devices their speeds");
            return 2;
        }
        Files.createDirectories(place.work());
        Undo undo = new Undo();
        try (Results results = new Results(place.results(), "prefetch", COLUMNS)) {
            PrefetchRig rig = new PrefetchRig(options, place.work(), undo);
            Rounds figures = new Rounds();
            RoundTurns turns = results.turns(rounds.rounds(), Scenario.values().length);
            for (int round = 1; round <= rounds.rounds(); round++) {
                List<Scenario> order = new ArrayList<>(Arrays.asList(Scenario.values()));
                Collections.shuffle(order, new Random(31 * rounds.seed() + round));
                for (Scenario scenario : order) {
                    turns.next();
                    figures.put(scenario.label(), run(rig, scenario, round, results));
                }
                figures.keep();
            }
            summarize(figures, results);
        } finally {
            undo.run();
        }
        return 0;
    }

    /** MB/s of reading. */
    private double run(PrefetchRig rig, Scenario scenario, int round, Results results) throws Exception {
        cachedBytes = 0;
        lateBytes = 0;
        return switch (scenario) {
            case SLOW -> program(scenario, round, results, file -> scan(rig.slow(), file));
            case FAST -> program(scenario, round, results, file -> scan(rig.fast(), file));
            case ON_MISS -> {
                try (MissFilledCache cache =
                        new MissFilledCache(rig.slow(), rig.missDevice(), (long) options.tierMebibytes << 20)) {
                    yield program(scenario, round, results, cache::scan);
                }
            }
            case PLAN, PLAN_LITTLE_COMPUTE, PLAN_TOO_LATE -> {
                TatamiFileSystem slow = rig.slow();
                AccessPlan plan = AccessPlan.inOrder(slow.planned(PrefetchRig.FIRST), slow.planned(PrefetchRig.SECOND))
                        .withReleaseAfterRead();
                slow.prefetch(plan);
                if (scenario != Scenario.PLAN_TOO_LATE) {
                    awaitFull(slow, plan.id());
                }
                double speed = program(scenario, round, results, file -> scan(rig.slow(), file));
                slow.cancelPlan(plan.id());
                yield speed;
            }
        };
    }

    private double program(Scenario scenario, int round, Results results, Scan scan)
            throws IOException, InterruptedException {
        boolean isShort = scenario == Scenario.PLAN_LITTLE_COMPUTE || scenario == Scenario.PLAN_TOO_LATE;
        long computeMillis = 1_000L * (isShort ? options.littleComputeSeconds : options.computeSeconds);
        long begin = System.nanoTime();
        long readNanos = 0;
        for (org.apache.hadoop.fs.Path file : List.of(PrefetchRig.FIRST, PrefetchRig.SECOND)) {
            long readBegin = System.nanoTime();
            scan.read(file);
            readNanos += System.nanoTime() - readBegin;
            Thread.sleep(computeMillis);
        }
        double speed = 2.0 * ((long) options.dataMebibytes << 20) * 1e3 / readNanos;
        results.row(
                round,
                scenario.label(),
                2 * options.dataMebibytes,
                String.format("%.2f", readNanos / 1e9),
                String.format("%.1f", speed),
                String.format("%.2f", (System.nanoTime() - begin) / 1e9),
                cachedBytes >> 20,
                lateBytes >> 20);
        return speed;
    }

    private void scan(TatamiFileSystem fs, org.apache.hadoop.fs.Path file) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(MissFilledCache.UNIT_BYTES);
        try (FSDataInputStream in = fs.open(file)) {
            while (in.read(buffer.clear()) >= 0) {
                Thread.onSpinWait();
            }
            cachedBytes += in.getIOStatistics().counters().getOrDefault("stream_read_cached_bytes", 0L);
            lateBytes += in.getIOStatistics().counters().getOrDefault("stream_read_late_bytes", 0L);
        }
    }

    /** Until as much is staged as may be before somebody reads. */
    private static void awaitFull(TatamiFileSystem fs, UUID plan) throws IOException, InterruptedException {
        AccessPlan.Progress last = fs.planProgress(plan);
        for (int unchanged = 0; unchanged < STEPS_WITHOUT_CHANGE; ) {
            Thread.sleep(PROGRESS_MILLIS);
            AccessPlan.Progress now = fs.planProgress(plan);
            unchanged = now.equals(last) ? unchanged + 1 : 0;
            last = now;
        }
    }

    private static void summarize(Rounds figures, Results results) {
        for (Scenario scenario : Scenario.values()) {
            results.remark(String.format(
                    "median %-20s %6.1f MB/s", scenario.label(), Results.median(figures.figures(scenario.label()))));
        }
        remarkRatio(figures, results, Scenario.PLAN, Scenario.FAST);
        remarkRatio(figures, results, Scenario.PLAN, Scenario.ON_MISS);
        remarkRatio(figures, results, Scenario.PLAN, Scenario.SLOW);
        remarkRatio(figures, results, Scenario.PLAN_LITTLE_COMPUTE, Scenario.SLOW);
        remarkRatio(figures, results, Scenario.PLAN_TOO_LATE, Scenario.SLOW);
        results.remark("raw figures: " + results.file());
    }

    private static void remarkRatio(Rounds figures, Results results, Scenario over, Scenario under) {
        results.remark(over.label() + " to " + under.label() + ": "
                + Rounds.describe(figures.ratios(over.label(), under.label())));
    }
}
