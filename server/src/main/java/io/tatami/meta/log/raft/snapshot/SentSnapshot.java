package io.tatami.meta.log.raft.snapshot;

import java.util.concurrent.TimeUnit;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.util.TimeDuration;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * What a leader keeps for a follower that it sends a snapshot: that snapshot, and the log from there on, until the
 * follower has caught up with the newest one. Without it a group under load that takes longer to send than to write two
 * more snapshots would be sent from its beginning again and again. Used by the thread that sends.
 */
public final class SentSnapshot {
    /** From the end of sending: the log must not grow for one that takes in entries more slowly than they come. */
    private static final TimeDuration CATCH_UP = TimeDuration.valueOf(1, TimeUnit.MINUTES);

    private final GroupSnapshots snapshots;
    private final FollowerInfo follower;
    private @Nullable TermIndex kept;
    private @Nullable Timestamp sent;

    public SentSnapshot(GroupSnapshots snapshots, FollowerInfo follower) {
        this.snapshots = snapshots;
        this.follower = follower;
    }

    /** It is about to be sent. False where a newer one has come before it was kept: the log between may be gone. */
    public boolean begin(TermIndex at) {
        kept = at;
        sent = null;
        snapshots.keepFor(follower.getId(), at);
        @Nullable SnapshotInfo newest = snapshots.getLatestSnapshot();
        return newest != null && newest.getTermIndex().equals(at);
    }

    /** The one that is kept, where it stands for the entry at this place in the log. */
    @Nullable
    public TermIndex at(long index) {
        TermIndex at = kept;
        return at != null && at.getIndex() == index ? at : null;
    }

    /** Where one was kept, it was sent by now, or that has failed. */
    public void sendingEnded() {
        if (kept == null) {
            return;
        }
        Timestamp since = sent;
        if (since == null) {
            sent = Timestamp.currentTime();
        } else if (hasCaughtUp() || since.elapsedTime().compareTo(CATCH_UP) > 0) {
            letGo();
        }
    }

    private boolean hasCaughtUp() {
        @Nullable SnapshotInfo newest = snapshots.getLatestSnapshot();
        return newest != null && follower.getMatchIndex() >= newest.getIndex();
    }

    /** Nothing more is sent. */
    public void letGo() {
        kept = null;
        snapshots.letGo(follower.getId());
    }
}
