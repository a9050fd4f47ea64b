package io.tatami.server.cli;

import io.tatami.base.SideBySide;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.ScrubRequest;
import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tatami scrub [URI] [--stop]}. */
@Command(
        name = "scrub",
        description =
                "Starts or stops a scrub of all volumes of all block servers: they read and check all blocks in the"
                        + " background, and 'status' shows the result. Exit code 1 if a block server does not answer.")
final class ScrubCommand implements Callable<Integer> {
    /** For all block servers together. */
    private static final Duration SERVERS_TIMEOUT = Duration.ofSeconds(30);

    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Option(names = "--stop", description = "Stop the running scrubs.")
    private boolean stop;

    @Override
    public Integer call() throws TatamiException {
        PrintWriter out = spec.commandLine().getOut();
        ScrubRequest.Action action = stop ? ScrubRequest.Action.STOP : ScrubRequest.Action.START;
        boolean well = true;
        try (TatamiClient client = cluster.connect()) {
            List<BlockServerInfo> servers = client.cluster().status().map().getBlockServerList().stream()
                    .filter(server -> server.getState() != BlockServerInfo.State.GONE)
                    .toList();
            for (SideBySide.Answer<BlockServerInfo, BlockServerStatusReply> answer : SideBySide.ask(
                    servers, SERVERS_TIMEOUT, server -> client.cluster().scrub(server, action))) {
                well &= print(answer, out);
            }
        }
        out.flush();
        return well ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static boolean print(SideBySide.Answer<BlockServerInfo, BlockServerStatusReply> answer, PrintWriter out) {
        String name = "block server " + answer.target().getServerId() + ": ";
        BlockServerStatusReply reply = answer.value();
        if (reply == null) {
            TatamiException failure = answer.failure();
            out.println(name + (failure == null ? "" : failure.getMessage()));
            return false;
        }
        long running = reply.getVolumeList().stream()
                .filter(VolumeStatus::getScrubbing)
                .count();
        out.println(name + running + " of " + reply.getVolumeCount() + " volumes are being scrubbed");
        return true;
    }
}
