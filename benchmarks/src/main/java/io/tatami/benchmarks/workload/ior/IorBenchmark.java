package io.tatami.benchmarks.workload.ior;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RoundsCommand;
import io.tatami.server.lab.LabSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tatami bench ior}: see {@link IorRounds}. */
@Command(
        name = "ior",
        mixinStandardHelpOptions = true,
        description = "The rate at which many writers write to several block servers whose volumes are held to a rate,"
                + " to the sum of what each server does alone. For root.")
public final class IorBenchmark extends RoundsCommand {
    @Mixin
    private IorOptions options = new IorOptions();

    public IorBenchmark() {
        super("ior", IorRounds.COLUMNS, 3);
    }

    @Override
    protected boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        if (!LabSpec.isRoot()) {
            throw new TatamiException(ErrorCode.UNSUPPORTED, "disks are held to a rate by root alone; be root");
        }
        results.remark("volumes of " + options.diskRate + " a second, files placed "
                + (options.isLocal ? "on their writer's node" : "as for clients on no server's host")
                + "; void where the cores were busier than " + options.coresPercentMax + " %");
        Rounds figures = new IorRounds(options, work, undo, results).run(rounds);
        IorSummary summary = new IorSummary(figures, options.servers, options.writers, options.transfers);
        summary.lines().forEach(results::remark);
        for (ByteSize transfer : options.transfers) {
            plot(summary, transfer, results);
        }
        return true;
    }

    private void plot(IorSummary summary, ByteSize transfer, Results results) throws IOException {
        String name = results.file().getFileName().toString().replace(".csv", "-" + transfer + ".svg");
        Path file = results.file().resolveSibling(name);
        Files.writeString(file, new IorPlot(summary, options.servers, options.writers, transfer).svg());
        results.remark("plot: " + file);
    }
}
