package io.tatami.meta.log.raft.transport;

import io.tatami.meta.log.raft.snapshot.GroupSnapshots;
import io.tatami.meta.log.raft.snapshot.SentSnapshot;
import java.io.IOException;
import org.apache.ratis.grpc.server.GrpcLogAppender;
import org.apache.ratis.grpc.server.GrpcServicesImpl;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * Sends a follower its entries. Where a connection breaks before the reply to some has come, Ratis takes them for sent,
 * and the follower's replies to heartbeats do not say how far its log reaches (RATIS-976): if it has the entries, the
 * leader does not learn so until there is another entry, and they are not committed. Here the last one is sent again
 * then, and its reply tells. And a snapshot that is sent is kept meanwhile, see {@link SentSnapshot}. Used by the
 * appender's thread.
 */
final class PersistentAppender extends GrpcLogAppender {
    private final SentSnapshot sent;
    private @Nullable Timestamp unknownSince;

    PersistentAppender(RaftServer.Division server, LeaderState state, FollowerInfo follower) {
        super(server, state, follower);
        this.sent = new SentSnapshot((GroupSnapshots) server.getStateMachine().getStateMachineStorage(), follower);
    }

    /** Asked for before this is fully made. */
    @Override
    public GrpcServicesImpl getServerRpc() {
        return ((RatisTransport.Factory) getServer().getRaftServer().getFactory()).services();
    }

    @Override
    public void run() throws IOException {
        try {
            super.run();
        } finally {
            sent.letGo();
        }
    }

    /** What this returns is sent before this appender is asked for anything else. */
    @Override
    public @Nullable SnapshotInfo shouldInstallSnapshot() {
        @Nullable SnapshotInfo snapshot = super.shouldInstallSnapshot();
        while (snapshot != null && !sent.begin(snapshot.getTermIndex())) {
            snapshot = super.shouldInstallSnapshot();
        }
        return snapshot;
    }

    /** The entry that a sent snapshot stands for may be gone from the log, and newer snapshots stand for others. */
    @Override
    public @Nullable TermIndex getPrevious(long nextIndex) {
        @Nullable TermIndex previous = super.getPrevious(nextIndex);
        return previous == null ? sent.at(nextIndex - 1) : previous;
    }

    @Override
    public boolean shouldSendAppendEntries() {
        sent.sendingEnded();
        if (isUnknown()) {
            Timestamp since = unknownSince;
            if (since == null) {
                unknownSince = Timestamp.currentTime();
            } else if (getFollower().getLastRpcResponseTime().compareTo(since) > 0) {
                unknownSince = null;
                getFollower().setNextIndex(getFollower().getNextIndex() - 1);
            }
        } else {
            unknownSince = null;
        }
        return super.shouldSendAppendEntries();
    }

    /** Whether entries were sent, no reply to them is on its way, and none has come that says that they are there. */
    private boolean isUnknown() {
        long last = getFollower().getNextIndex() - 1;
        return last > getFollower().getMatchIndex()
                && last >= getRaftLog().getStartIndex()
                && last < getRaftLog().getNextIndex()
                && !hasPendingDataRequests();
    }
}
