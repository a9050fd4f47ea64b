package io.tatami.meta.service.copies;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.meta.service.GroupPeers;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.CopiesStatusReply;
import io.tatami.protocol.wire.StuckBlock;
import java.util.List;

/** What the leader adds to the counts of one block server: what its drain waits for. Safe for use by many threads. */
final class CopiesOfServer {
    private final GroupPeers peers;
    private final CopyScheduler maker;
    private final DeadServers lost;
    private final DrainProgress progress;

    CopiesOfServer(GroupPeers peers, CopyScheduler maker, DeadServers lost, DrainProgress progress) {
        this.peers = peers;
        this.maker = maker;
        this.lost = lost;
        this.progress = progress;
    }

    /**
     * @param counted as the records say, with the first of the server's blocks as stuck ones; those that are not being
     *     written have no reason there
     */
    CopiesStatusReply complete(ServerId server, CopiesStatusReply counted) {
        CopiesStatusReply.Builder status = counted.toBuilder().clearStuck();
        maker.addTo(status);
        status.clearStuck();
        for (StuckBlock block : counted.getStuckList()) {
            String reason =
                    block.getReason().isEmpty() ? maker.reason(new BlockId(block.getBlockId())) : block.getReason();
            if (!reason.isEmpty()) {
                status.addStuck(block.toBuilder().setReason(reason));
            }
        }
        switch (state(server)) {
            case DRAINING -> draining(server, status);
            case GONE -> status.setDrained(lost.hasQueued(server));
            case JOINING, ACTIVE, STALE, DEAD, MAINTENANCE, UNRECOGNIZED -> {}
        }
        return status.build();
    }

    private BlockServerInfo.State state(ServerId server) {
        List<BlockServerInfo> servers = peers.map().getBlockServerList();
        return servers.stream()
                .filter(info -> info.getServerId() == server.value())
                .map(BlockServerInfo::getState)
                .findFirst()
                .orElse(BlockServerInfo.State.UNRECOGNIZED);
    }

    private void draining(ServerId server, CopiesStatusReply.Builder status) {
        long left = status.getHeldBlocks() + status.getOpenBlocks();
        status.setDrainedInMillis(progress.remainingMillis(server, left));
        if (left == 0 && !status.getDrained()) {
            status.setDrainWaitsFor("an audit of what is on its volumes");
        } else if (left > 0 && !status.getBrake().isEmpty()) {
            status.setDrainWaitsFor(status.getBrake());
        }
    }
}
