package io.tatami.server.cli.admin;

import com.google.protobuf.ByteString;
import io.tatami.client.TatamiClient;
import io.tatami.protocol.wire.ChangeMetadataServerRequest;
import io.tatami.protocol.wire.ListMetadataServersReply;
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

/** {@code tatami admin metadata add [URI] SERVER}. */
@Command(
        name = "add",
        description = "Moves replicas of groups to a metadata server that has joined, up to its share, one after the"
                + " other while clients work, and prints the progress.")
final class AddMetadataServerCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private MetadataServerArgument server;

    @Option(names = "--no-wait", description = "Return as soon as the change is accepted.")
    private boolean noWait;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        try (TatamiClient client = server.connect()) {
            ByteString id = server.find(client.cluster());
            MetadataServerInfo added =
                    client.cluster().changeMetadataServer(id, ChangeMetadataServerRequest.Action.ADD);
            out.printf("%s (%s) is in service%n", MetadataServersText.address(added), MetadataServersText.text(id));
            if (!noWait) {
                new MoveProgress(client.cluster(), out).until(ListMetadataServersReply::getSettled);
                long held = client.cluster().metadataServers().getServerList().stream()
                        .filter(info -> info.getServerId().equals(id))
                        .mapToLong(MetadataServerInfo::getHeldGroupCount)
                        .sum();
                out.printf("done: it holds %d replicas%n", held);
            }
        }
        out.flush();
        return ExitCode.DONE;
    }
}
