package io.tatami.server;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.ScrubRequest;
import io.tatami.protocol.wire.VolumeStatus;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tatami scrub URI [--stop]}. */
@Command(
        name = "scrub",
        description = "Has every block server read and check all that its volumes hold, or ends that; goes on in the"
                + " background, and 'status' tells what was found. Exit code 1 where a block server does not answer.")
final class ScrubCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Option(names = "--stop", description = "Ends the passes under way.")
    private boolean stop;

    @Override
    public Integer call() throws TatamiException {
        PrintWriter out = spec.commandLine().getOut();
        boolean well = true;
        try (TatamiClient client = cluster.connect()) {
            for (BlockServerInfo server : client.clusterStatus().map().getBlockServerList()) {
                if (server.getState() != BlockServerInfo.State.GONE) {
                    well &= scrub(client, server, out);
                }
            }
        }
        out.flush();
        return well ? ExitCode.DONE : ExitCode.FAILED;
    }

    private boolean scrub(TatamiClient client, BlockServerInfo server, PrintWriter out) {
        String name = "block server " + server.getServerId() + ": ";
        try {
            BlockServerStatusReply reply =
                    client.scrub(server, stop ? ScrubRequest.Action.STOP : ScrubRequest.Action.START);
            long running = reply.getVolumeList().stream()
                    .filter(VolumeStatus::getScrubbing)
                    .count();
            out.println(name + running + " of " + reply.getVolumeCount() + " volumes are being scrubbed");
            return true;
        } catch (TatamiException e) {
            out.println(name + e.getMessage());
            return false;
        }
    }
}
