package io.tatami.server.cli;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.node.Patience;
import io.tatami.server.status.StatusJson;
import io.tatami.server.status.StatusReport;
import io.tatami.server.status.StatusScreen;
import io.tatami.server.status.StatusText;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tatami status [URI]}. */
@Command(
        name = "status",
        description =
                "Shows what is wrong with a cluster and what to do, its room and its servers. Exit code 1 if a group or a server does not"
                        + " answer, a block server is dead, a replica of a group or a volume has stopped, or a volume's"
                        + " index is damaged.")
final class StatusCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Option(names = "--all", description = "Every group, server, volume and cache tier, however many there are.")
    private boolean all;

    @Option(names = "--racks", description = "The block servers by rack, with their room.")
    private boolean racks;

    @Option(
            names = "--json",
            description = "One JSON object with all of that, and the problems with their remedies; sizes in bytes.")
    private boolean json;

    @Override
    public Integer call() throws TatamiException {
        StatusReport report;
        try (TatamiClient client = cluster.connect()) {
            Patience patience = Patience.of(spec.commandLine().getErr());
            report = patience.await(
                    "waiting for the answers of groups and servers", () -> StatusReport.of(client.cluster()));
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(StatusJson.of(report));
            out.flush();
        } else if (racks) {
            new StatusScreen(out).printRacks(report);
        } else if (all) {
            new StatusScreen(out).printProblems(report);
            out.println();
            new StatusText(out).print(report);
        } else {
            new StatusScreen(out).print(report);
        }
        return report.isWell() ? ExitCode.DONE : ExitCode.FAILED;
    }
}
