package io.tatami.meta.log.raft.transport;

import io.tatami.files.CrashPoint;
import io.tatami.files.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.exceptions.RaftException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.Message;

/**
 * A vote leaves a server when it is durable. Ratis writes vote and term beside the old file {@code raft-meta}, syncs
 * that and renames it, but does not sync the directory: a loss of power may take back the rename, and the server votes
 * for another in the same term. Here the directory is synced before a vote is told, and before a candidate asks for
 * votes, because it has voted for itself by then. Where that fails there is no vote.
 *
 * <p>A replica that cannot write a vote takes no further part. Ratis would keep one that was asked for its vote, and
 * have it never stand again; and of a candidate that could not write its own it tells nobody. Worse, where there is no
 * space for the new file it puts an empty one in the place of the old ({@code AtomicFileOutputStream.close} renames
 * what it has also after a write that failed), and the server has forgotten what it voted. So the file system is to
 * have room to spare, as others may take the last of it in between, and something is written beside the votes first:
 * before Ratis sees a request for a vote, or another one of a new term, which it writes there too; and by a candidate
 * before it asks others whether they would vote for it, or is told to stand. Another program may take that room before
 * Ratis writes. Ratis then leaves an empty file. So each vote, and each term that this server acknowledges, gets a
 * second name before the reply leaves, and a start restores from that ({@link KeptVote}). Safe for use by many threads.
 */
final class DurableVotes {
    private static final String TRIAL_PREFIX = "vote-trial-";
    private static final byte[] TRIAL = new byte[64];

    /** Many times what a vote takes: what is written meanwhile by a log or a store does not take all of it. */
    private static final long ROOM_BYTES = 1 << 20;

    private final RaftProperties properties;

    /** The highest term that is kept of each group that is open; guarded by itself. */
    private final Map<RaftServer.Division, Long> keptTerms = new WeakHashMap<>();

    /** @param properties say where the logs are, once a vote is asked for */
    DurableVotes(RaftProperties properties) {
        this.properties = properties;
    }

    /** The server, as others ask it for its vote, and tell it of new terms. */
    RaftServer granting(RaftServer server) {
        return HeldCalls.around(RaftServer.class, server, Message.class, (request, call) -> {
            if (request instanceof AppendEntriesRequestProto entries) {
                return acknowledge(server, entries.getServerRequest(), entries.getLeaderTerm(), request, call);
            } else if (request instanceof InstallSnapshotRequestProto snapshot) {
                return acknowledge(server, snapshot.getServerRequest(), snapshot.getLeaderTerm(), request, call);
            } else if (request instanceof StartLeaderElectionRequestProto start) {
                requireRoom(server, start.getServerRequest());
            } else if (request instanceof RequestVoteRequestProto vote) {
                return grant(server, vote, call);
            }
            return call.make(request);
        });
    }

    /**
     * Ratis has written a new term when the call returns, and the reply leaves later. It only fails its reply where it
     * could not, and would acknowledge what comes next in that term.
     */
    private Object acknowledge(
            RaftServer server, RaftRpcRequestProto from, long term, Message request, HeldCalls.Call<Message> call)
            throws Throwable {
        RaftServer.Division division = server.getDivision(RatisGroups.of(from));
        if (term > division.getInfo().getCurrentTerm()) {
            requireRoom(server, from);
        }
        Object reply = call.make(request);
        boolean isTaken = division.getInfo().getCurrentTerm() >= term;
        if (isTaken && term > keptTerm(division) && KeptVote.isThere(votes(from))) {
            try {
                if (keep(division, from) < term) {
                    throw new IOException("term " + term + " is not in " + votes(from) + ", where Ratis writes it");
                }
            } catch (IOException e) {
                stop(division, e);
                throw e;
            }
        }
        return reply;
    }

    private Object grant(RaftServer server, RequestVoteRequestProto request, HeldCalls.Call<Message> call)
            throws Throwable {
        if (!request.getPreVote()) {
            requireRoom(server, request.getServerRequest());
        }
        try {
            Object reply = call.make(request);
            if (reply instanceof RequestVoteReplyProto told
                    && told.getServerReply().getSuccess()
                    && !request.getPreVote()) {
                CrashPoint.hit("meta.raft.before-vote-synced");
                long unused = keep(divisionOf(server, request), request.getServerRequest());
            }
            return reply;
        } catch (IOException e) {
            // Of Ratis's own there are such as that the server is not ready.
            if (!(e instanceof RaftException)) {
                stop(divisionOf(server, request), e);
            }
            throw e;
        }
    }

    private void requireRoom(RaftServer server, RaftRpcRequestProto request) throws IOException {
        Path votes = votes(request);
        if (!Files.isDirectory(votes)) {
            // The group is being opened, and Ratis refuses the request.
            return;
        }
        try {
            tryToWrite(votes);
        } catch (IOException e) {
            stop(server.getDivision(RatisGroups.of(request)), e);
            throw e;
        }
    }

    private static RaftServer.Division divisionOf(RaftServer server, RequestVoteRequestProto request)
            throws IOException {
        return server.getDivision(RatisGroups.of(request.getServerRequest()));
    }

    private static void stop(RaftServer.Division division, IOException reason) {
        if (division.getStateMachine() instanceof Voter voter) {
            voter.voteFailed(reason);
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
                requireRoom(server, request.getServerRequest());
            } else {
                CrashPoint.hit("meta.raft.before-candidacy-synced");
                long unused = keep(divisionOf(server, request), request.getServerRequest());
            }
            return call.make(request);
        });
    }

    /** As a vote is written. */
    private static void tryToWrite(Path votes) throws IOException {
        long roomBytes = Files.getFileStore(votes).getUsableSpace();
        if (roomBytes < ROOM_BYTES) {
            throw new IOException("the file system of " + votes + " has " + roomBytes + " bytes left, and is to have "
                    + ROOM_BYTES + " where a vote is written");
        }
        Path trial = Files.createTempFile(votes, TRIAL_PREFIX, "");
        try {
            Path unused = Files.write(trial, TRIAL);
            DurableFile.sync(trial);
        } finally {
            boolean unused = Files.deleteIfExists(trial);
        }
    }

    /** Makes what Ratis wrote last durable, keeps it, and returns its term. */
    private long keep(RaftServer.Division division, RaftRpcRequestProto request) throws IOException {
        long term = KeptVote.keep(votes(request));
        synchronized (keptTerms) {
            keptTerms.merge(division, term, Math::max);
        }
        return term;
    }

    private long keptTerm(RaftServer.Division division) {
        synchronized (keptTerms) {
            return keptTerms.getOrDefault(division, -1L);
        }
    }

    private Path votes(RaftRpcRequestProto request) {
        return RatisGroups.segments(properties, RatisGroups.of(request));
    }
}
