package io.tatami.benchmarks.workload.simulate;

import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RunPlace;
import io.tatami.benchmarks.harness.report.Skew;
import io.tatami.benchmarks.workload.simulate.PlannerMeter.Planner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tatami bench simulate}: the planners of copies in a cluster that no machine here could hold. */
@Command(
        name = "simulate",
        mixinStandardHelpOptions = true,
        description =
                "The planners of block copies in a simulated cluster: time to safety, bytes moved, skew, CPU time.",
        footer = {
            "",
            "1,000 nodes and 100 million blocks, of whose copies each takes two bytes:",
            "  TATAMI_HEAP=3g tatami bench simulate --nodes 1000 --racks 40 --blocks 100000000 --scenario node,drain"
        })
public final class SimulateBenchmark implements Callable<Integer> {
    private static final double TERA = 1e12;
    private static final double SECONDS_PER_HOUR = 3_600;
    private static final double MIB = 1 << 20;
    private static final int MARK_HOURS = 8;
    private static final int MARK_TERABYTES = 400;

    @Option(names = "--scenario", split = ",", description = "node, rack, join, slow, drain; all where none is named.")
    private List<String> scenarios = new ArrayList<>();

    @Option(names = "--placements", description = "Blocks of new files that are placed (default: ${DEFAULT-VALUE}).")
    private int placements = 100_000;

    @Mixin
    private SimulateOptions options = new SimulateOptions();

    @Mixin
    private RunPlace place = new RunPlace();

    private final Progress progress = new Progress();

    @Override
    public Integer call() throws IOException {
        List<String> columns = List.of(
                "scenario",
                "settled",
                "last_copy_hours",
                "healed_hours",
                "moved_tb",
                "to_make_tb",
                "used_max_to_mean_before",
                "used_sd_percent_before",
                "used_max_to_mean_after",
                "used_sd_percent_after",
                "sent_max_to_mean",
                "sent_sd_percent",
                "received_max_to_mean",
                "received_sd_percent",
                "in_flight_part",
                "copy_rate_part",
                "disk_part",
                "link_part",
                "planner_cpu_s",
                "judged",
                "judged_per_cpu_s",
                "moves_judged",
                "moves_judged_per_cpu_s",
                "views",
                "views_per_cpu_s",
                "heap_mib");
        try (Results results = new Results(place.results(), "simulate", columns)) {
            ClusterShape shape = options.shape(Scenario.NODE);
            results.remark(String.format(
                    Locale.ROOT,
                    "%,d servers in %d racks, %,d blocks of %,d bytes in %d copies over %d shards; %d bytes of memory a block,"
                            + " %,.0f MiB",
                    shape.nodes(),
                    shape.racks(),
                    shape.blocks(),
                    shape.blockBytes(),
                    shape.copies(),
                    shape.shards(),
                    BlockTable.bytesPerBlock(shape.copies()),
                    shape.blocks() * BlockTable.bytesPerBlock(shape.copies()) / MIB));
            placeBlocks(shape, results);
            for (Scenario scenario : chosen()) {
                run(scenario, results);
            }
            results.remark("raw figures: " + results.file());
        }
        return 0;
    }

    private List<Scenario> chosen() {
        return scenarios.isEmpty() || scenarios.contains("all")
                ? Arrays.asList(Scenario.values())
                : scenarios.stream()
                        .map(name -> Scenario.valueOf(name.toUpperCase(Locale.ROOT)))
                        .toList();
    }

    private void placeBlocks(ClusterShape shape, Results results) {
        PlannerMeter meter = new PlannerMeter();
        Skew skew = PlacementSample.take(shape, placements, meter);
        results.remark(String.format(
                Locale.ROOT,
                "placement: %,.0f blocks a CPU second, %.1f us each; copies to room, fullest to mean: %s, where chance alone has a"
                        + " deviation of %.1f %%",
                meter.rate(Planner.PLACE),
                micros(meter, Planner.PLACE),
                skew,
                100 / Math.sqrt((double) placements * shape.copies() / shape.nodes())));
    }

    private void run(Scenario scenario, Results results) throws IOException {
        ClusterShape shape = options.shape(scenario);
        Course course = options.course(shape);
        PlannerMeter meter = new PlannerMeter();
        progress.tell("%s: blocks are laid", scenario.label());
        Simulation simulation = new Simulation(shape, scenario, course, meter);
        progress.tell("%s: time goes by", scenario.label());
        SimulationResult result = simulation.run();
        double heapMib = heapBytes() / MIB;
        results.row(row(scenario, result, meter, heapMib));
        results.remark(String.format(
                Locale.ROOT,
                "%s (%s): %s; %.1f TB moved, %.1f TB were lacking%s",
                scenario.label(),
                scenario.title(),
                time(result),
                result.movedBytes() / TERA,
                result.toMakeBytes() / TERA,
                result.lostBlocks() == 0 ? "" : ", " + result.lostBlocks() + " blocks are lost"));
        results.remark(String.format(
                Locale.ROOT,
                "  servers' room, fullest to mean: %s before, %s after; sent: %s, received: %s",
                result.usedBefore(),
                result.usedAfter(),
                result.sent(),
                result.received()));
        results.remark(String.format(
                Locale.ROOT,
                "  in use while copies were made: %.0f %% of the copies in flight, %.0f %% of the copy rates, %.0f %% of the"
                        + " disks, %.0f %% of the links",
                result.inFlightPart() * 100,
                result.copyRatePart() * 100,
                result.diskPart() * 100,
                result.linkPart() * 100));
        results.remark(planners(meter, simulation.virtualSeconds(), heapMib));
        if (scenario == Scenario.DRAIN) {
            results.remark(mark(shape, result));
        }
        plot(scenario, shape, result, results);
    }

    private static Object[] row(Scenario scenario, SimulationResult result, PlannerMeter meter, double heapMib) {
        return new Object[] {
            scenario.label(),
            result.isSettled(),
            decimal(result.lastCopySeconds() / SECONDS_PER_HOUR),
            decimal(result.healedSeconds() / SECONDS_PER_HOUR),
            decimal(result.movedBytes() / TERA),
            decimal(result.toMakeBytes() / TERA),
            decimal(result.usedBefore().maxToMean()),
            decimal(result.usedBefore().deviationPercent()),
            decimal(result.usedAfter().maxToMean()),
            decimal(result.usedAfter().deviationPercent()),
            decimal(result.sent().maxToMean()),
            decimal(result.sent().deviationPercent()),
            decimal(result.received().maxToMean()),
            decimal(result.received().deviationPercent()),
            decimal(result.inFlightPart()),
            decimal(result.copyRatePart()),
            decimal(result.diskPart()),
            decimal(result.linkPart()),
            decimal(meter.cpuSeconds()),
            meter.decisions(Planner.JUDGE),
            Math.round(meter.rate(Planner.JUDGE)),
            meter.decisions(Planner.BALANCE),
            Math.round(meter.rate(Planner.BALANCE)),
            meter.decisions(Planner.VIEW),
            Math.round(meter.rate(Planner.VIEW)),
            Math.round(heapMib)
        };
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private static String time(SimulationResult result) {
        String lastCopies = result.lastCopyBlocks() == 0
                ? "no block with one good copy"
                : result.lastCopyBlocks() + " blocks with one good copy, none after " + hours(result.lastCopySeconds());
        return lastCopies + "; all copies there after " + hours(result.healedSeconds());
    }

    private static String hours(double seconds) {
        return seconds < 0
                ? "more time than was given"
                : String.format(Locale.ROOT, "%.2f h", seconds / SECONDS_PER_HOUR);
    }

    private static String planners(PlannerMeter meter, double virtualSeconds, double heapMib) {
        return String.format(
                Locale.ROOT,
                "  planners: %.1f CPU s, %.2f %% of one core in virtual time; %,d verdicts, %,.0f a CPU second; %,d blocks"
                        + " looked at for a move, %,.0f a CPU second; a view %.0f us, a balance plan %.0f us;"
                        + " heap %.0f MiB",
                meter.cpuSeconds(),
                meter.cpuSeconds() / virtualSeconds * 100,
                meter.decisions(Planner.JUDGE),
                meter.rate(Planner.JUDGE),
                meter.decisions(Planner.BALANCE),
                meter.rate(Planner.BALANCE),
                micros(meter, Planner.VIEW),
                micros(meter, Planner.PLAN),
                heapMib);
    }

    private static double micros(PlannerMeter meter, Planner planner) {
        double rate = meter.rate(planner);
        return rate == 0 ? 0 : 1e6 / rate;
    }

    /**
     * What the drain says of {@value #MARK_TERABYTES} TB at that speed. Others read a copy and write it, so of what
     * they are given a half makes copies.
     */
    private String mark(ClusterShape shape, SimulationResult result) {
        double given = options.drainRateOfAll();
        double forMark = MARK_TERABYTES * TERA / Math.max(1, result.toMakeBytes());
        double took = result.healedSeconds() / SECONDS_PER_HOUR * forMark;
        double floor = (shape.copies() > 1 ? 2 : 1) * MARK_TERABYTES * TERA / given / SECONDS_PER_HOUR;
        return String.format(
                Locale.ROOT,
                "  %d TB at this speed, with %.1f GB/s of the others, reading and writing: %s, the mark of %d h is %s;"
                        + " no less than %.2f h, as %s",
                MARK_TERABYTES,
                given / 1e9,
                took < 0 ? "not known" : String.format(Locale.ROOT, "%.2f h", took),
                MARK_HOURS,
                took >= 0 && took <= MARK_HOURS ? "met" : "missed",
                floor,
                shape.copies() > 1
                        ? "the other holders are read, not the server that drains"
                        : "the server that drains is read");
    }

    private void plot(Scenario scenario, ClusterShape shape, SimulationResult result, Results results)
            throws IOException {
        String name = results.file().getFileName().toString().replace(".csv", "-" + scenario.label() + ".svg");
        Path file = results.file().resolveSibling(name);
        String title = String.format(
                Locale.ROOT,
                "%,d servers, %,d blocks in %d copies: %s",
                shape.nodes(),
                shape.blocks(),
                shape.copies(),
                scenario.title());
        Files.writeString(file, new CurvePlot(title, time(result), result.curve()).svg());
        results.remark("  plot: " + file);
    }

    private static long heapBytes() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
