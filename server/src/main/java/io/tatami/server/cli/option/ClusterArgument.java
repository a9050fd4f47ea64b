package io.tatami.server.cli.option;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.Patience;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The cluster that a command is about: its first argument. */
public class ClusterArgument {
    @Parameters(index = "0", paramLabel = "URI", description = "tatami://host:port of any metadata server.")
    private String uri;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** As {@link ClusterAddress#connect}. */
    public final TatamiClient connect() throws TatamiException {
        return ClusterAddress.of(uri).connect(Patience.of(command.commandLine().getErr()));
    }
}
