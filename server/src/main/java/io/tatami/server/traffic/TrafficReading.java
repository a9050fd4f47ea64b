package io.tatami.server.traffic;

import io.tatami.base.Clock;
import io.tatami.base.SideBySide;
import io.tatami.base.TatamiException;
import io.tatami.client.ClusterAdmin;
import io.tatami.client.model.GroupTraffic;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.BlockServerStatusReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What groups have counted of requests, and block servers of bytes, until one moment.
 *
 * @param groups the namespace group first, then the shards in order
 * @param servers those that are not dead or gone
 */
public record TrafficReading(List<GroupTraffic> groups, List<ServerBytes> servers) {
    /** For all block servers together. */
    private static final Duration SERVERS_TIMEOUT = Duration.ofSeconds(10);

    /**
     * One block server.
     *
     * @param atNanos when it answered, by the monotonic clock of whoever asks
     * @param status null where it did not answer
     * @param failure why it did not; null where it did
     */
    public record ServerBytes(
            BlockServerInfo info,
            long atNanos,
            @Nullable BlockServerStatusReply status,
            @Nullable TatamiException failure) {
        String address() {
            return info.getData().getHost() + ":" + info.getData().getPort();
        }
    }

    /**
     * Asks the leader of each group, at once, for ten seconds at most. To be asked after {@link ClusterAdmin#map}, as
     * leaders may change.
     *
     * @throws TatamiException of the namespace group where no group tells: UNSUPPORTED where none counts;
     *     PERMISSION_DENIED
     */
    public static TrafficReading ofGroups(ClusterAdmin admin) throws TatamiException {
        List<GroupTraffic> groups = admin.traffic();
        for (GroupTraffic group : groups) {
            if (group.failure() == null) {
                return new TrafficReading(groups, List.of());
            }
        }
        TatamiException failure = groups.get(0).failure();
        if (failure == null) {
            throw new IllegalStateException("the namespace group told, and no group did");
        }
        throw failure;
    }

    /** The same, and then asks the block servers that are not dead or gone, as the map has them. */
    public static TrafficReading of(ClusterAdmin admin, Clock clock) throws TatamiException {
        List<BlockServerInfo> infos = admin.map().getBlockServerList().stream()
                .filter(Predicate.not(TrafficReading::isAway))
                .toList();
        TrafficReading groups = ofGroups(admin);
        List<ServerBytes> servers = new ArrayList<>();
        for (SideBySide.Answer<BlockServerInfo, ServerBytes> answer :
                SideBySide.ask(infos, SERVERS_TIMEOUT, info -> ask(admin, info, clock))) {
            ServerBytes told = answer.value();
            servers.add(told == null ? new ServerBytes(answer.target(), 0, null, answer.failure()) : told);
        }
        return new TrafficReading(groups.groups(), servers);
    }

    private static boolean isAway(BlockServerInfo server) {
        return server.getState() == State.DEAD || server.getState() == State.GONE;
    }

    private static ServerBytes ask(ClusterAdmin admin, BlockServerInfo info, Clock clock) throws TatamiException {
        BlockServerStatusReply status = admin.blockServerStatus(info, SERVERS_TIMEOUT.toMillis());
        return new ServerBytes(info, clock.monotonicNanos(), status, null);
    }
}
