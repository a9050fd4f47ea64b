package io.tatami.benchmarks.workload.chaos;

import io.tatami.base.TatamiException;
import io.tatami.client.ClusterAdmin;
import io.tatami.client.model.FsckReport;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.ChangeBlockServerRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What an administrator of a cluster sees and does whose disks were lost. */
final class ChaosOperator {
    static final String WELL = "well";

    private static final int FINDINGS_SHOWN = 3;

    private final ClusterAdmin cluster;
    private final int nodes;

    /** @param nodes of the lab */
    ChaosOperator(ClusterAdmin cluster, int nodes) {
        this.cluster = cluster;
        this.nodes = nodes;
    }

    /**
     * Whether every block has its copies, no file is open, and of each node one block server is not dead, while all
     * nodes have one that runs. The copies of another one count for good until it is known to be dead, and its disk is
     * another one now; its silence is noticed only after some seconds.
     *
     * @return {@value #WELL}, or what is not
     */
    String health() {
        try {
            FsckReport found = cluster.fsck(TatamiPath.ROOT);
            long under = found.copies().underReplicatedBlocks();
            int gone = servers(State.DEAD).size() + servers(State.GONE).size();
            int living = cluster.status().map().getBlockServerCount() - gone;
            if (found.findings().isEmpty() && under == 0 && found.openFiles() == 0 && living == nodes) {
                return WELL;
            }
            StringBuilder text = new StringBuilder()
                    .append(found.findings().size())
                    .append(" findings, ")
                    .append(under)
                    .append(" blocks under-replicated, ")
                    .append(found.openFiles())
                    .append(" files open, ")
                    .append(living)
                    .append(" block servers that are not dead on ")
                    .append(nodes)
                    .append(" nodes");
            found.findings().stream()
                    .limit(FINDINGS_SHOWN)
                    .forEach(problem -> text.append("; ")
                            .append(problem.path())
                            .append(": ")
                            .append(problem.finding().getProblem()));
            return text.toString();
        } catch (IOException e) {
            return "fsck failed: " + e;
        }
    }

    private List<BlockServerInfo> servers(State state) throws TatamiException {
        return cluster.status().map().getBlockServerList().stream()
                .filter(server -> server.getState() == state)
                .toList();
    }

    /**
     * Gives up the servers that are dead: while all others are back, these are the ones whose disks were lost. A block
     * that one of them may have had alone waits for that, as its home cannot know.
     */
    String giveUpDead() {
        List<String> given = new ArrayList<>();
        try {
            for (BlockServerInfo server : servers(State.DEAD)) {
                cluster.changeBlockServer(ChangeBlockServerRequest.newBuilder()
                        .setServerId(server.getServerId())
                        .setAction(ChangeBlockServerRequest.Action.GIVE_UP)
                        .build());
                given.add("server " + server.getServerId());
            }
            return String.join(", ", given);
        } catch (IOException e) {
            return "give-up failed: " + e;
        }
    }
}
