package io.tatami.meta.log;

import io.tatami.base.CrashPoint;
import io.tatami.base.DurableFile;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.exceptions.RaftException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;

/**
 * A vote leaves a server when it is durable. Ratis writes vote and term beside the old file {@code raft-meta}, syncs
 * that and renames it, but does not sync the directory: a loss of power may take back the rename, and the server votes
 * for another in the same term. Here the directory is synced before a vote is told, and before a candidate asks for
 * votes, because it has voted for itself by then. Where that fails there is no vote, and the replica takes no further
 * part. Safe for use by many threads.
 */
final class DurableVotes {
    private final RaftProperties properties;

    /** @param properties say where the logs are, once a vote is asked for */
    DurableVotes(RaftProperties properties) {
        this.properties = properties;
    }

    /** The server, as others ask it for its vote. */
    RaftServer granting(RaftServer server) {
        return HeldCalls.around(RaftServer.class, server, RequestVoteRequestProto.class, (request, call) -> {
            try {
                Object reply = call.make(request);
                if (reply instanceof RequestVoteReplyProto told
                        && told.getServerReply().getSuccess()
                        && !request.getPreVote()) {
                    CrashPoint.hit("meta.raft.before-vote-synced");
                    sync(request);
                }
                return reply;
            } catch (IOException e) {
                // Of Ratis's own there are such as that the server is not ready.
                if (!(e instanceof RaftException)) {
                    stop(server, groupOf(request), e);
                }
                throw e;
            }
        });
    }

    /** Ratis would go on with a replica that could not write its vote, and never again have it stand for election. */
    private static void stop(RaftServer server, RaftGroupId group, IOException reason) throws IOException {
        if (server.getDivision(group).getStateMachine() instanceof GroupStateMachine machine) {
            machine.voteFailed(reason);
        }
    }

    private static RaftGroupId groupOf(RequestVoteRequestProto request) {
        return RaftGroupId.valueOf(request.getServerRequest().getRaftGroupId().getId());
    }

    /** The way to other servers, as this one asks for their votes. */
    GrpcServices asking(GrpcServices others) {
        return HeldCalls.around(GrpcServices.class, others, RequestVoteRequestProto.class, (request, call) -> {
            if (!request.getPreVote()) {
                CrashPoint.hit("meta.raft.before-candidacy-synced");
                sync(request);
            }
            return call.make(request);
        });
    }

    private void sync(RequestVoteRequestProto request) throws IOException {
        Path directory = RaftServerConfigKeys.storageDir(properties).get(0).toPath();
        DurableFile.syncDirectory(
                directory.resolve(groupOf(request).getUuid().toString()).resolve("current"));
    }
}
