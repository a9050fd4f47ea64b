package io.tatami.server.cli.admin;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.protocol.wire.SafeModeRequest;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tatami admin safemode [URI] [get|enter|leave]}. */
@Command(
        name = "safemode",
        description =
                "Switches safe mode on or off, in which nothing can be written, or tells whether it is on. Only the"
                        + " superuser may switch it.")
final class SafeModeCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "get|enter|leave",
            defaultValue = "get",
            description = "What to do (default: ${DEFAULT-VALUE}).")
    private String action;

    @Override
    public Integer call() throws TatamiException {
        SafeModeRequest.Action asked = switch (action.toLowerCase(Locale.ROOT)) {
            case "get" -> SafeModeRequest.Action.GET;
            case "enter" -> SafeModeRequest.Action.ENTER;
            case "leave" -> SafeModeRequest.Action.LEAVE;
            default ->
                throw new ParameterException(spec.commandLine(), "'" + action + "' is none of get, enter and leave");
        };
        try (TatamiClient client = cluster.connect()) {
            boolean isOn = client.cluster().safeMode(asked);
            spec.commandLine().getOut().println("safe mode is " + (isOn ? "on" : "off"));
            spec.commandLine().getOut().flush();
        }
        return ExitCode.DONE;
    }
}
