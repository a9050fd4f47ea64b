package io.tatami.meta.op.file;

import io.tatami.base.ServerId;
import io.tatami.cluster.BlockHealth;
import io.tatami.cluster.CopyJudge;
import io.tatami.cluster.CopyJudge.Kind;
import io.tatami.cluster.CopyJudge.KnownCopy;
import io.tatami.cluster.CopyJudge.Problem;
import io.tatami.meta.op.copies.KnownCopies;
import io.tatami.meta.op.copies.ServersOfMap;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.Totals;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.protocol.wire.BlockLocation;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Adds to block locations whether a block can be read, and which copies are bad, judged as fsck judges it. Records of
 * copies are looked up only while something is known to be wrong: a block with a bad copy waits to be looked at until
 * it has none. For one decision.
 */
final class KnownHealth {
    private final ShardState state;
    private final ClusterMap cluster;
    private final boolean isAnyWaiting;

    /** Servers whose copies may not be read. */
    private final Set<Integer> away = new HashSet<>();

    private @Nullable CopyJudge judge;

    KnownHealth(ShardState state, ClusterMap cluster) {
        this.state = state;
        this.cluster = cluster;
        this.isAnyWaiting = Totals.of(state.draft()).getNeedsByClassCount() > 0;
        for (BlockServerInfo server : cluster.getBlockServerList()) {
            switch (server.getState()) {
                case DEAD, GONE, MAINTENANCE, UNRECOGNIZED -> away.add(server.getServerId());
                case JOINING, ACTIVE, STALE, DRAINING -> {}
            }
        }
    }

    /** @param copies how many the file asks for */
    BlockLocation added(BlockLocation location, BlockRecord block, int copies) {
        if (block.getOpen()) {
            return location;
        }
        boolean isSound = !isAnyWaiting
                && block.getServerIdCount() > 0
                && block.getServerIdList().stream().noneMatch(away::contains);
        return isSound ? location : judged(location, block, copies);
    }

    private BlockLocation judged(BlockLocation location, BlockRecord block, int wanted) {
        List<KnownCopy> copies = KnownCopies.of(state, block);
        BlockHealth health = judge().health(Math.max(1, wanted), copies);
        BlockLocation.Builder judged = location.toBuilder().setUnreadable(health.isUnreadable());
        copies.stream()
                .filter(copy -> copy.kind() == Kind.COUNTED && copy.problem() != Problem.NONE)
                .map(KnownCopy::server)
                .map(ServerId::value)
                .forEach(judged::addBadServerId);
        block.getServerIdList().stream().filter(away::contains).forEach(judged::addAwayServerId);
        return judged.build();
    }

    private CopyJudge judge() {
        CopyJudge known = judge;
        if (known == null) {
            known = new CopyJudge(ServersOfMap.view(cluster));
            judge = known;
        }
        return known;
    }
}
