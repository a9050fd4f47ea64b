package io.tatami.server.cli.admin;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.ClusterAdmin;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.status.MetadataServersText;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Parameters;

/** The metadata server that a command is about: the cluster, and the server in it. */
final class MetadataServerArgument extends ClusterArgument {
    @Parameters(
            index = "0",
            paramLabel = "SERVER",
            description = "Its id, or host:port, as 'tatami admin metadata status' lists them.")
    private String server;

    /**
     * @throws TatamiException INVALID_ARGUMENT where none is meant, or several are: a host that lost its disk and came
     *     back is listed twice
     */
    ByteString find(ClusterAdmin cluster) throws TatamiException {
        List<MetadataServerInfo> all = cluster.metadataServers().getServerList();
        List<MetadataServerInfo> meant = all.stream().filter(this::isMeant).toList();
        if (meant.size() == 1) {
            return meant.get(0).getServerId();
        }
        if (meant.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the cluster has no metadata server " + server + "; its metadata servers are "
                            + all.stream().map(MetadataServersText::address).collect(Collectors.joining(", ")));
        }
        throw new TatamiException(
                ErrorCode.INVALID_ARGUMENT,
                meant.size() + " metadata servers have the address " + server + "; give the id instead: "
                        + meant.stream()
                                .map(found -> MetadataServersText.text(found.getServerId())
                                        + (found.getAnswers() ? " (answers)" : " (does not answer)"))
                                .collect(Collectors.joining(", ")));
    }

    private boolean isMeant(MetadataServerInfo info) {
        return server.equals(MetadataServersText.text(info.getServerId()))
                || server.equals(MetadataServersText.address(info));
    }

    @Override
    public String toString() {
        return server;
    }
}
