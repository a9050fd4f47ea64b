package io.tatami.server.cli.admin;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.status.MetadataServersText;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tatami admin metadata status [URI]}. */
@Command(
        name = "status",
        description =
                "Lists the metadata servers, the groups that they hold and lead, and the replicas that move. Exit code 1"
                        + " if a server does not answer or a replica has stopped.")
final class MetadataStatusCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Option(names = "--json", description = "One JSON object instead of tables.")
    private boolean json;

    @Override
    public Integer call() throws TatamiException {
        MetadataServersText servers;
        try (TatamiClient client = cluster.connect()) {
            servers = new MetadataServersText(client.cluster().metadataServers());
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(servers.json());
        } else {
            servers.print(out);
        }
        out.flush();
        return servers.isWell() ? ExitCode.DONE : ExitCode.FAILED;
    }
}
