package io.tatami.meta.log.raft.transport;

import java.nio.file.Path;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServerConfigKeys;

/** The group of a request, and the directory in which Ratis keeps a group. */
public final class RatisGroups {
    private RatisGroups() {}

    /** The directory of a group's log, votes and snapshots. */
    public static Path directory(RaftProperties properties, RaftGroupId group) {
        return RaftServerConfigKeys.storageDir(properties)
                .get(0)
                .toPath()
                .resolve(group.getUuid().toString());
    }

    /** The directory of a group's votes and of its log's segments. */
    public static Path segments(RaftProperties properties, RaftGroupId group) {
        return directory(properties, group).resolve("current");
    }

    /** The group that a request of another server is about. */
    static RaftGroupId of(RaftRpcRequestProto request) {
        return RaftGroupId.valueOf(request.getRaftGroupId().getId());
    }
}
