package io.tatami.benchmarks.workload.heal;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundsCommand;
import io.tatami.server.lab.LabSpec;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tatami bench heal}: see {@link HealRounds}. */
@Command(
        name = "heal",
        mixinStandardHelpOptions = true,
        description = "How fast the blocks of a dead block server are copied by the others, whose volumes are held to a"
                + " rate; alone, and beside readers. For root.")
public final class HealBenchmark extends RoundsCommand {
    @Mixin
    private HealOptions options = new HealOptions();

    public HealBenchmark() {
        super("heal", HealRounds.COLUMNS, 1);
    }

    @Override
    protected boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        if (!LabSpec.isRoot()) {
            throw new TatamiException(ErrorCode.UNSUPPORTED, "disks are held to a rate by root alone; be root");
        }
        results.remark(options.nodes + " volumes of " + options.diskMegabytes + " MB/s, " + options.mebibytes
                + " MiB three times in blocks of " + options.blockMebibytes
                + " MiB; one server dies; the ceiling is what the others can write");
        new HealRounds(options, work, undo, results)
                .run(rounds.rounds())
                .medians()
                .forEach(results::remark);
        return true;
    }
}
