package io.tatami.server.cli.admin;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.ClusterAdmin;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.server.cli.option.ClusterArgument;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Parameters;

/**
 * The block server that a command is about: the cluster, and the server in it, by its id or by the host and port of its
 * data port.
 */
final class BlockServerArgument extends ClusterArgument {
    @Parameters(
            index = "0",
            paramLabel = "SERVER",
            description = "Its id, or host:port, as 'tatami admin block status' lists them.")
    private String server;

    /** @throws TatamiException as {@link #find(ClusterMap, String)} */
    BlockServerInfo find(ClusterAdmin cluster) throws TatamiException {
        return find(cluster.map(), server);
    }

    static String address(BlockServerInfo info) {
        return info.getData().getHost() + ":" + info.getData().getPort();
    }

    /** @throws TatamiException INVALID_ARGUMENT where none is meant, or several are */
    static BlockServerInfo find(ClusterMap map, String server) throws TatamiException {
        List<BlockServerInfo> meant = map.getBlockServerList().stream()
                .filter(info -> server.equals(Integer.toString(info.getServerId())) || server.equals(address(info)))
                .toList();
        if (meant.size() == 1) {
            return meant.get(0);
        }
        if (meant.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the cluster has no block server " + server + "; its block servers are "
                            + map.getBlockServerList().stream()
                                    .map(info -> info.getServerId() + " (" + address(info) + ")")
                                    .collect(Collectors.joining(", ")));
        }
        throw new TatamiException(
                ErrorCode.INVALID_ARGUMENT,
                meant.size() + " block servers had the address " + server + "; give the id instead: "
                        + meant.stream()
                                .map(info -> info.getServerId() + " (" + info.getState() + ")")
                                .collect(Collectors.joining(", ")));
    }
}
