package io.tatami.benchmarks.workload.affinity;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundsCommand;
import io.tatami.server.lab.LabSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tatami bench affinity}: see {@link AffinityRounds}. */
@Command(
        name = "affinity",
        mixinStandardHelpOptions = true,
        description = "The rate of jobs whose tasks Hadoop's scheduler places with and without the locations of their"
                + " bytes, over Tatami and over HDFS, on nodes whose disks and links are held to rates. For root.")
public final class AffinityBenchmark extends RoundsCommand {
    private static final int ROUNDS = 3;

    @Mixin
    private AffinityOptions options = new AffinityOptions();

    public AffinityBenchmark() {
        super("affinity", AffinityRounds.COLUMNS, ROUNDS);
    }

    @Override
    protected boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        if (!LabSpec.isRoot()) {
            throw new TatamiException(ErrorCode.UNSUPPORTED, "disks are held to a rate by root alone; be root");
        }
        checkRoom(work);
        results.remark("disks of " + options.diskMegabytes + " MB a second, files of "
                + (options.fileBytes() >> 20) + " MiB; void where the cores were busier than "
                + options.coresPercentMax + " %");
        AffinityFigures figures = new AffinityRounds(options, work, undo, results).run(rounds);
        AffinitySummary summary = new AffinitySummary(figures, options);
        summary.lines().forEach(results::remark);
        for (AffinityCell setting : summary.settings()) {
            if (setting.kind() != AffinityKind.WRITE_SYNCED) {
                plot(new AffinityPlot(figures, options, setting), results);
            }
        }
        return true;
    }

    private void checkRoom(Path work) throws IOException {
        long free = Files.getFileStore(work).getUsableSpace();
        if (free < options.roomBytes()) {
            throw new TatamiException(
                    ErrorCode.NO_SPACE,
                    "the disks of the largest lab may grow to " + (options.roomBytes() >> 20) + " MiB, and " + work
                            + " has " + (free >> 20) + " MiB free; give fewer --nodes, --copies or --seconds, or"
                            + " another --work");
        }
    }

    private static void plot(AffinityPlot plot, Results results) throws IOException {
        String name = results.file().getFileName().toString().replace(".csv", "-" + plot.name() + ".svg");
        Path file = results.file().resolveSibling(name);
        Files.writeString(file, plot.svg());
        results.remark("plot: " + file);
    }
}
