package io.tatami.meta.service.copies;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.meta.service.GroupPeers;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.CopiesStatusReply;
import io.tatami.protocol.wire.StuckBlock;

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
        for (BlockServerInfo info : peers.map().getBlockServerList()) {
            if (info.getServerId() == server.value()) {
                if (info.getState() == BlockServerInfo.State.GONE) {
                    givenUp(server, status);
                } else if (info.getToBeEmptied() || info.getState() == BlockServerInfo.State.DRAINING) {
                    draining(server, status);
                }
            }
        }
        return status.build();
    }

    /** It may be forgotten when what can be copied of it is. */
    private void givenUp(ServerId server, CopiesStatusReply.Builder status) {
        boolean isDone = lost.hasQueued(server) && !status.getIsBeingCopied();
        status.setDrained(isDone);
        if (!isDone) {
            status.setDrainWaitsFor("blocks that were on it are still to be copied");
        }
    }

    boolean isGivenUp(ServerId server) {
        return peers.map().getBlockServerList().stream()
                .anyMatch(
                        info -> info.getServerId() == server.value() && info.getState() == BlockServerInfo.State.GONE);
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
