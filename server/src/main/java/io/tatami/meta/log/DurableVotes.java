package io.tatami.meta.log;

import io.tatami.base.CrashPoint;
import io.tatami.base.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.RaftException;
import org.apache.ratis.server.RaftServer;

/**
 * A vote leaves a server when it is durable. Ratis writes vote and term beside the old file {@code raft-meta}, syncs
 * that and renames it, but does not sync the directory: a loss of power may take back the rename, and the server votes
 * for another in the same term. Here the directory is synced before a vote is told, and before a candidate asks for
 * votes, because it has voted for itself by then. Where that fails there is no vote.
 *
 * <p>A replica that cannot write a vote takes no further part. Ratis would keep one that was asked for its vote, and
 * have it never stand again; and of a candidate that could not write its own it tells nobody. So a candidate writes
 * something beside its votes before it asks others whether they would vote for it. Safe for use by many threads.
 */
final class DurableVotes {
    private static final String TRIAL_PREFIX = "vote-trial-";
    private static final byte[] TRIAL = new byte[64];

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
                    stop(server, RatisNames.group(request.getServerRequest()), e);
                }
                throw e;
            }
        });
    }

    private static void stop(RaftServer server, RaftGroupId group, IOException reason) throws IOException {
        if (server.getDivision(group).getStateMachine() instanceof GroupStateMachine machine) {
            machine.voteFailed(reason);
        }
    }

    /**
     * The way to other servers, as this one asks for their votes.
     *
     * @param server this one
     */
    GrpcServices asking(RaftServer server, GrpcServices others) {
        return HeldCalls.around(GrpcServices.class, others, RequestVoteRequestProto.class, (request, call) -> {
            if (request.getPreVote()) {
                try {
                    tryToWrite(request);
                } catch (IOException e) {
                    stop(server, RatisNames.group(request.getServerRequest()), e);
                    throw e;
                }
            } else {
                CrashPoint.hit("meta.raft.before-candidacy-synced");
                sync(request);
            }
            return call.make(request);
        });
    }

    /** As a vote is written, by a thread for each server that is asked. */
    private void tryToWrite(RequestVoteRequestProto request) throws IOException {
        RaftPeerId asked = RaftPeerId.valueOf(request.getServerRequest().getReplyId());
        Path trial = votes(request).resolve(TRIAL_PREFIX + asked);
        try {
            Path unused = Files.write(trial, TRIAL, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            DurableFile.sync(trial);
        } finally {
            boolean unused = Files.deleteIfExists(trial);
        }
    }

    private void sync(RequestVoteRequestProto request) throws IOException {
        DurableFile.syncDirectory(votes(request));
    }

    private Path votes(RequestVoteRequestProto request) {
        return RatisProperties.directory(properties, RatisNames.group(request.getServerRequest()))
                .resolve("current");
    }
}
