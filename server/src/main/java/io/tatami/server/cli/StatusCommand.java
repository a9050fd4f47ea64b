package io.tatami.server.cli;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.node.Patience;
import io.tatami.server.status.StatusJson;
import io.tatami.server.status.StatusReport;
import io.tatami.server.status.StatusText;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tatami status URI}. */
@Command(
        name = "status",
        description = "Shows the servers of a cluster and their health. Exit code 1 if a group or a server does not"
                + " answer, a block server is dead, a replica of a group or a volume has stopped, or a volume's"
                + " index is damaged.")
final class StatusCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Option(names = "--json", description = "One JSON object instead of tables; sizes in bytes.")
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
        } else {
            new StatusText(out).print(report);
        }
        return report.isWell() ? ExitCode.DONE : ExitCode.FAILED;
    }
}
