package io.tatami.meta.log.raft.transport;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.exceptions.ServerNotReadyException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.Message;

/**
 * Keeps from Ratis what a leader sends to a group that is just being started here. It would take a snapshot, and make
 * the group a follower twice, of which the second time fails the start (3.3.0); entries it refuses as this does, but
 * with an error and its stack in the log for each, five times a second while a server reads its logs. Safe for use by
 * many threads.
 */
public final class StartedGroups {
    private final Set<RaftGroupId> started = ConcurrentHashMap.newKeySet();

    /** Ratis has started the group. */
    public void add(RaftGroupId group) {
        started.add(group);
    }

    /** It is open no more, or was not to be opened. */
    public void remove(RaftGroupId group) {
        started.remove(group);
    }

    /** The server, as leaders send to it. */
    RaftServer guarding(RaftServer server) {
        return HeldCalls.around(RaftServer.class, server, Message.class, (request, call) -> {
            if (request instanceof AppendEntriesRequestProto entries) {
                requireStarted(entries.getServerRequest());
            } else if (request instanceof InstallSnapshotRequestProto snapshot && snapshot.hasSnapshotChunk()) {
                requireStarted(snapshot.getServerRequest());
            }
            return call.make(request);
        });
    }

    private void requireStarted(RaftRpcRequestProto request) throws IOException {
        RaftGroupId group = RatisGroups.of(request);
        if (!started.contains(group)) {
            throw new ServerNotReadyException(group + " is not open yet");
        }
    }
}
