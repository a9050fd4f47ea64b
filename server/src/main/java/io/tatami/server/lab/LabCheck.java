package io.tatami.server.lab;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.ClusterStatus;
import io.tatami.conf.Settings;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.GroupReplica;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.InitialDirectories;
import io.tatami.server.node.Patience;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * A program that runs on a node, because this machine may have no way into a lab's network, and ends well when the
 * cluster is whole: all metadata servers are members of all groups, all block servers are known, and the first
 * directories are made.
 */
public final class LabCheck {
    private static final long POLL_MILLIS = 100;
    private static final int TRIES = 1_200;

    private LabCheck() {}

    /** @param arguments addresses of the metadata servers, their count, and the count of block servers */
    public static void main(String[] arguments) throws Exception {
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        int members = Integer.parseInt(arguments[1]);
        int blockServers = Integer.parseInt(arguments[2]);
        InitialDirectories.await(arguments[0], Settings.defaults());
        try (TatamiClient client = ClusterAddress.of(arguments[0]).connect(Patience.of(err))) {
            for (int i = 0; i < TRIES; i++) {
                if (isWhole(client, members, blockServers)) {
                    return;
                }
                Thread.sleep(POLL_MILLIS);
            }
        }
        err.println("the metadata servers are not members of all groups, or a block server is not known");
        System.exit(1);
    }

    private static boolean isWhole(TatamiClient client, int members, int blockServers) throws TatamiException {
        ClusterStatus status = client.cluster().status();
        boolean hasMembers = members == 1
                || status.groups().stream()
                        .allMatch(group -> status.replicas(group.group()).stream()
                                        .filter(GroupReplica::getMember)
                                        .count()
                                == members);
        long active = status.map().getBlockServerList().stream()
                .filter(server -> server.getState() == BlockServerInfo.State.ACTIVE)
                .count();
        return hasMembers && active == blockServers;
    }
}
