package io.tatami.server.cli.admin;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.protocol.wire.ChangeBlockServerRequest;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tatami admin block balance [URI] on|off [--threshold PERCENT]}. */
@Command(
        name = "balance",
        description = "Says whether copies are moved from full block servers to empty ones; they are, unless switched"
                + " off, where two differ by more than 10 percent of their room.")
final class BlockBalanceCommand implements Callable<Integer> {
    private static final int OFF = -1;
    private static final int DEFAULT = 0;
    private static final int PERCENT_MAX = 90;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Parameters(index = "0", paramLabel = "on|off", description = "Whether copies are moved.")
    private String onOff;

    @Option(
            names = "--threshold",
            paramLabel = "PERCENT",
            description =
                    "By how many percent of their room two servers may differ, 1 to 90; 10 where it is not given.")
    private @Nullable Integer percent;

    @Override
    public Integer call() throws TatamiException {
        boolean isOn = onOff.equals("on");
        if (!isOn && !onOff.equals("off")) {
            throw new ParameterException(spec.commandLine(), "'" + onOff + "' is neither on nor off");
        }
        if (percent != null && (percent < 1 || percent > PERCENT_MAX)) {
            throw new ParameterException(
                    spec.commandLine(), "--threshold is " + percent + "; write a number from 1 to " + PERCENT_MAX);
        }
        try (TatamiClient client = cluster.connect()) {
            var unused = client.cluster()
                    .changeBlockServer(ChangeBlockServerRequest.newBuilder()
                            .setAction(ChangeBlockServerRequest.Action.SET_BALANCE)
                            .setBalancePercent(!isOn ? OFF : percent == null ? DEFAULT : percent)
                            .build());
        }
        spec.commandLine().getOut().printf("balance is %s; shards hear of it within seconds%n", isOn ? "on" : "off");
        spec.commandLine().getOut().flush();
        return ExitCode.DONE;
    }
}
