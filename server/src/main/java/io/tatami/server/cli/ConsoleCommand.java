package io.tatami.server.cli;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.InviteAdministratorReply;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tatami console URI}. */
@Command(
        name = "console",
        description =
                "Prints a link by which a superuser administers the cluster in a browser. It is good once, and for"
                        + " a minute.")
final class ConsoleCommand implements Callable<Integer> {
    private static final String LOOPBACK = "127.";

    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Override
    public Integer call() throws TatamiException {
        InviteAdministratorReply invited;
        try (TatamiClient client = cluster.connect()) {
            invited = client.cluster().inviteAdministrator();
        }
        Endpoint http = invited.getHttp();
        String host = http.getHost().contains(":") ? "[" + http.getHost() + "]" : http.getHost();
        PrintWriter out = spec.commandLine().getOut();
        out.println("http://" + host + ":" + http.getPort() + "/#invitation=" + invited.getInvitation());
        out.flush();
        if (http.getHost().startsWith(LOOPBACK)) {
            PrintWriter err = spec.commandLine().getErr();
            err.println("The link works on the host of the namespace group's leader. From elsewhere: ssh -L "
                    + http.getPort() + ":" + http.getHost() + ":" + http.getPort() + " HOST");
            err.flush();
        }
        return ExitCode.DONE;
    }
}
