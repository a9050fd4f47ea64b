package io.tatami.server.cli.admin;

import com.google.protobuf.ByteString;
import io.tatami.client.TatamiClient;
import io.tatami.protocol.wire.ChangeMetadataServerRequest.Action;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.status.MetadataServersText;
import io.tatami.server.status.MoveProgress;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tatami admin metadata remove [URI] SERVER [--cancel]}. */
@Command(
        name = "remove",
        description =
                "Moves the replicas of a metadata server to others, one after the other while clients work, and"
                        + " removes it from the cluster, even if it is dead. Its directory can be deleted then. Prints progress.")
final class RemoveMetadataServerCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private MetadataServerArgument server;

    @Option(
            names = "--cancel",
            description = "Cancel the removal; replicas move back until the shares are equal again.")
    private boolean cancel;

    @Option(names = "--no-wait", description = "Return as soon as the change is accepted.")
    private boolean noWait;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        try (TatamiClient client = server.connect()) {
            ByteString id = server.find(client.cluster());
            MetadataServerInfo changed =
                    client.cluster().changeMetadataServer(id, cancel ? Action.CANCEL : Action.REMOVE);
            String name = MetadataServersText.address(changed) + " (" + MetadataServersText.text(id) + ")";
            out.println(
                    cancel
                            ? name + " stays"
                            : name + " leaves, and holds " + changed.getHeldGroupCount() + " replicas");
            if (!cancel && !noWait) {
                new MoveProgress(client.cluster(), out)
                        .until(now -> now.getServerList().stream()
                                .noneMatch(info -> info.getServerId().equals(id)));
                out.println("done: " + name + " is removed from the cluster; its directory can be deleted");
            }
        }
        out.flush();
        return ExitCode.DONE;
    }
}
