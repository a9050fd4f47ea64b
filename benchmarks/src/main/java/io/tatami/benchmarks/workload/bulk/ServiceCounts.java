package io.tatami.benchmarks.workload.bulk;

import io.tatami.client.TatamiClient;
import io.tatami.client.model.ClusterStatus;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.GroupStatusReply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What the service itself counts, as {@code tatami status --json} tells it.
 *
 * @param blocks that files have, open ones included
 * @param pendingReclaims blocks that are given up and that block servers have not yet confirmed to be without
 * @param refills how often a shard took credits from a block server, since those servers started
 * @param credits for how many blocks that was
 */
record ServiceCounts(long blocks, long pendingReclaims, long refills, long credits) {
    private static final long TIMEOUT_MILLIS = 10_000;

    /** @throws IOException where a group or a block server does not answer: a count without it would be too low */
    static ServiceCounts of(TatamiClient client) throws IOException {
        ClusterStatus status = client.cluster().status();
        List<GroupStatusReply> groups = new ArrayList<>();
        for (ClusterStatus.GroupState group : status.groups()) {
            GroupStatusReply reply = group.status();
            if (reply == null) {
                throw new IOException(group.group() + " does not tell its counts: " + group.failure());
            }
            groups.add(reply);
        }
        List<BlockServerStatusReply> servers = new ArrayList<>();
        for (BlockServerInfo server : status.map().getBlockServerList()) {
            servers.add(client.cluster().blockServerStatus(server, TIMEOUT_MILLIS));
        }
        return new ServiceCounts(
                groups.stream().mapToLong(GroupStatusReply::getBlocks).sum(),
                groups.stream()
                        .mapToLong(GroupStatusReply::getPendingReclaimBlocks)
                        .sum(),
                servers.stream()
                        .mapToLong(BlockServerStatusReply::getCreditGifts)
                        .sum(),
                servers.stream()
                        .mapToLong(BlockServerStatusReply::getCreditsGiven)
                        .sum());
    }

    /** What was counted in two spans together. */
    ServiceCounts plus(ServiceCounts other) {
        return new ServiceCounts(
                blocks + other.blocks,
                pendingReclaims + other.pendingReclaims,
                refills + other.refills,
                credits + other.credits);
    }

    /** What was counted since. */
    ServiceCounts since(ServiceCounts earlier) {
        return new ServiceCounts(
                blocks - earlier.blocks,
                pendingReclaims - earlier.pendingReclaims,
                refills - earlier.refills,
                credits - earlier.credits);
    }
}
