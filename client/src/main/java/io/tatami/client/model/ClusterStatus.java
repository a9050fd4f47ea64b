package io.tatami.client.model;

import io.tatami.base.GroupId;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.GroupReplica;
import io.tatami.protocol.wire.GroupStatusReply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cluster in numbers, as one metadata server and each group told it.
 *
 * @param groups the namespace group first, then the shards in order
 */
public record ClusterStatus(ClusterMap map, List<GroupState> groups) {
    /**
     * One group.
     *
     * @param address of its leader; empty where nobody leads it
     * @param status null where it did not answer
     * @param failure why it did not; empty where it did
     */
    public record GroupState(
            GroupId group, String address, @Nullable GroupStatusReply status, String failure) {}

    /** The servers that hold a group, members or about to be; none where only its leader does. */
    public List<GroupReplica> replicas(GroupId group) {
        return map.getGroupList().stream()
                .filter(location -> location.getGroup() == group.value())
                .flatMap(location -> location.getReplicaList().stream())
                .toList();
    }

    /** Bytes of all block servers that are not dead or gone. */
    public long capacityBytes() {
        return serving().stream().mapToLong(BlockServerInfo::getCapacityBytes).sum();
    }

    public long usedBytes() {
        return serving().stream().mapToLong(BlockServerInfo::getUsedBytes).sum();
    }

    public long freeBytes() {
        return serving().stream().mapToLong(BlockServerInfo::getFreeBytes).sum();
    }

    private List<BlockServerInfo> serving() {
        return map.getBlockServerList().stream()
                .filter(server -> server.getState() != BlockServerInfo.State.DEAD
                        && server.getState() != BlockServerInfo.State.GONE)
                .toList();
    }
}
