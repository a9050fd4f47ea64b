package io.tatami.meta.log.raft.transport;

import java.io.IOException;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a replica that has yet to apply much from standing for election: as a leader it would decide nothing until it
 * has, where another one could at once. Such a replica has come back a moment ago; it stands as soon as it has caught
 * up, and so nobody waits longer where it alone can lead. Safe for use by many threads.
 */
final class ReadyCandidates {
    /** Applied within a part of an election's time. */
    static final long BEHIND_MAX = 500;

    private static final Logger LOG = LoggerFactory.getLogger(ReadyCandidates.class);

    private final Backlog backlog;

    /** What this server's replicas have before them. */
    interface Backlog {
        /** Entries that the replica knows to be committed and has not applied. */
        long entries(RaftGroupId group) throws IOException;
    }

    ReadyCandidates(Backlog backlog) {
        this.backlog = backlog;
    }

    /** The way to other servers, as this one asks for their votes; a request fails where its replica is behind. */
    GrpcServices asking(GrpcServices others) {
        return HeldCalls.around(GrpcServices.class, others, RequestVoteRequestProto.class, (request, call) -> {
            RaftGroupId group = RatisGroups.of(request.getServerRequest());
            long entries = backlog.entries(group);
            if (entries > BEHIND_MAX) {
                String reason = "this replica of " + group + " does not stand for election before it has applied the "
                        + entries + " entries that it is behind";
                LOG.info("{}", reason);
                throw new IOException(reason);
            }
            return call.make(request);
        });
    }
}
