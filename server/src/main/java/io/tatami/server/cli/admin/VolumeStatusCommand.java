package io.tatami.server.cli.admin;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.Json;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.protocol.wire.WaitingBlock;
import io.tatami.server.cli.option.ExitCode;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tatami admin volume status [URI] SERVER}. */
@Command(
        name = "status",
        description =
                "Lists the volumes of a block server with their room, how far drains are, and what they wait for.")
final class VolumeStatusCommand implements Callable<Integer> {
    private static final long TIMEOUT_MILLIS = 10_000;

    @Spec
    private CommandSpec spec;

    @Mixin
    private BlockServerArgument server;

    @Option(names = "--json", description = "One JSON array with an object for each volume; sizes in bytes.")
    private boolean json;

    @Override
    public Integer call() throws TatamiException {
        try (TatamiClient client = server.connect()) {
            BlockServerInfo info = server.find(client.cluster());
            BlockServerStatusReply status = client.cluster().blockServerStatus(info, TIMEOUT_MILLIS);
            if (json) {
                spec.commandLine()
                        .getOut()
                        .println(Json.text(status.getVolumeList().stream()
                                .map(Json::fields)
                                .toList()));
                spec.commandLine().getOut().flush();
            } else {
                print(info, status, spec.commandLine().getOut());
            }
        }
        return ExitCode.DONE;
    }

    static void print(BlockServerInfo info, BlockServerStatusReply status, PrintWriter out) {
        out.printf("block server %d (%s)%n", info.getServerId(), BlockServerArgument.address(info));
        out.printf("%-36s %-11s %10s %16s %16s  %s%n", "volume", "state", "blocks", "used", "free", "path");
        for (VolumeStatus volume : status.getVolumeList()) {
            out.printf(
                    "%-36s %-11s %10d %16d %16d  %s%n",
                    volume.getVolumeId().isEmpty() ? "?" : volume.getVolumeId(),
                    state(volume),
                    volume.getBlocks(),
                    volume.getUsedBytes(),
                    volume.getFreeBytes(),
                    volume.getPath());
        }
        status.getVolumeList().forEach(volume -> printDetails(volume, out));
        if (!status.getBalancing().isEmpty()) {
            out.printf("balance: %s%n", status.getBalancing());
        }
        out.flush();
    }

    private static String state(VolumeStatus volume) {
        if (!volume.getFailure().isEmpty()) {
            return "failed";
        }
        if (!volume.getDraining()) {
            return "serves";
        }
        return volume.getBlocks() == 0 ? "drained" : "draining";
    }

    private static void printDetails(VolumeStatus volume, PrintWriter out) {
        if (!volume.getFailure().isEmpty()) {
            out.printf("%s: %s%n", volume.getPath(), volume.getFailure());
        }
        if (!volume.getDraining() || volume.getBlocks() == 0) {
            return;
        }
        out.printf(
                "%s: %d blocks with %d bytes are left, %d bytes were moved away; %s%n",
                volume.getPath(),
                volume.getBlocks(),
                volume.getUsedBytes(),
                volume.getMovedAwayBytes(),
                volume.getDrainedInMillis() == 0
                        ? "the time left is not known"
                        : "about "
                                + Math.max(
                                        1,
                                        Duration.ofMillis(volume.getDrainedInMillis())
                                                .toSeconds())
                                + " s are left at this rate");
        if (!volume.getDrainWaitsFor().isEmpty()) {
            out.printf("%s waits for: %s%n", volume.getPath(), volume.getDrainWaitsFor());
        }
        for (WaitingBlock block : volume.getWaitingBlockList()) {
            out.printf("block %d: %s%n", block.getBlockId(), block.getReason());
        }
    }
}
