package io.tatami.server.cli.admin;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tatami admin block status URI}. */
@Command(name = "status", description = "Lists the block servers with their states, racks, and room.")
final class BlockStatusCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Override
    public Integer call() throws TatamiException {
        ClusterMap map;
        try (TatamiClient client = cluster.connect()) {
            map = client.cluster().map();
        }
        print(map, spec.commandLine().getOut());
        return ExitCode.DONE;
    }

    static void print(ClusterMap map, PrintWriter out) {
        out.printf("%6s %-28s %-12s %-24s %16s %16s%n", "id", "block server", "state", "rack", "used", "free");
        for (BlockServerInfo info : map.getBlockServerList()) {
            out.printf(
                    "%6d %-28s %-12s %-24s %16d %16d%n",
                    info.getServerId(),
                    BlockServerArgument.address(info),
                    info.getState().name().toLowerCase(Locale.ROOT),
                    info.getRack(),
                    info.getUsedBytes(),
                    info.getFreeBytes());
        }
        out.flush();
    }
}
