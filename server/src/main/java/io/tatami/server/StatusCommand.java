package io.tatami.server;

import io.tatami.base.TatamiException;
import io.tatami.client.ClusterStatus;
import io.tatami.client.TatamiClient;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.GroupStatusReply;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tatami status URI}. Exit code 1 where a group does not answer or a block server is dead. */
@Command(
        name = "status",
        description = "Shows what a cluster is made of and how it fares. Exit code 1 where a group does not answer or a"
                + " block server is dead.")
final class StatusCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "URI", description = "tatami://host:port of any metadata server.")
    private String uri;

    @Override
    public Integer call() throws TatamiException {
        ClusterStatus status;
        try (TatamiClient client = ClusterAddress.of(uri).connect()) {
            status = client.clusterStatus();
        }
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                "capacity %s, used %s, free %s%n",
                Amount.ofBytes(status.capacityBytes()),
                Amount.ofBytes(status.usedBytes()),
                Amount.ofBytes(status.freeBytes()));
        boolean well = true;
        out.printf(
                "%n%-12s %-22s %12s %12s %10s %10s %10s%n",
                "group", "leader", "files", "directories", "blocks", "leases", "reclaim");
        for (ClusterStatus.GroupState group : status.groups()) {
            well &= print(out, group);
        }
        out.printf("%n%-12s %-22s %-10s %12s %12s%n", "block server", "address", "state", "capacity", "free");
        for (BlockServerInfo server : status.map().getBlockServerList()) {
            well &= server.getState() != BlockServerInfo.State.DEAD;
            out.printf(
                    "%-12d %-22s %-10s %12s %12s%n",
                    server.getServerId(),
                    server.getData().getHost() + ":" + server.getData().getPort(),
                    server.getState().name().toLowerCase(java.util.Locale.ROOT),
                    Amount.ofBytes(server.getCapacityBytes()),
                    Amount.ofBytes(server.getFreeBytes()));
        }
        out.flush();
        return well ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static boolean print(PrintWriter out, ClusterStatus.GroupState group) {
        GroupStatusReply numbers = group.status();
        if (numbers == null) {
            out.printf("%-12s %-22s %s%n", group.group(), group.address(), group.failure());
            return false;
        }
        out.printf(
                "%-12s %-22s %12d %12d %10d %10d %10s%n",
                group.group(),
                group.address(),
                numbers.getFiles(),
                numbers.getDirectories(),
                numbers.getBlocks(),
                numbers.getLeases(),
                Amount.ofBytes(numbers.getPendingReclaimBytes()));
        return true;
    }
}
