package io.tatami.meta.log.raft;

import io.tatami.base.TatamiException;
import io.tatami.meta.log.CommitLog;
import io.tatami.meta.log.raft.snapshot.SnapshotProgress;
import io.tatami.meta.state.View;
import io.tatami.meta.store.GroupStore;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** One replica of a group in this process, made by {@link RaftHost#open}. Safe for use by any thread. */
public interface RaftReplica extends AutoCloseable {
    /** Hears what becomes of the replica: one call at a time, in order, on a thread that may be held up for a while. */
    interface Listener {
        /**
         * This replica leads and has applied all that was committed before its term: decisions may be made over the
         * store and given to the log, until {@link #follows}.
         *
         * @param store stays the replica's to close
         * @param log of this term of leadership only
         */
        void leads(GroupStore store, CommitLog log);

        /**
         * It leads no more: commits and confirmations of the log fail with NOT_LEADER from here on. What this returns
         * is completed when nobody uses the store any more; it is not replaced or closed before, nor does the replica
         * lead again.
         */
        CompletableFuture<Void> follows();

        /**
         * The others have told it that it is no member any more, and it takes no part until it is closed and opened
         * again; what it has stays.
         */
        void excluded();

        /** The replica has failed for good and takes no further part in its group; the last call. */
        void failed(TatamiException reason);
    }

    /** The id of the server that leads, as far as this replica knows. */
    Optional<UUID> leader();

    /** The members as of the newest change this replica knows. */
    List<Member> members();

    /**
     * Makes these the members; on the leader only, one change at a time. New ones have to have opened the group; they
     * catch up before they count. A leader that is not among them makes them members beside itself, lets one of them
     * lead, and has the rest done by that one.
     *
     * @return completes when the change is committed; fails with NOT_LEADER, also where another leader is to be asked
     *     once more, IN_USE while another change is under way, or UNAVAILABLE when the outcome is unknown
     */
    CompletableFuture<Void> setMembers(List<Member> members);

    /**
     * Lets another member lead; on the leader only. Who it is should have applied nearly all: until it has the rest,
     * nobody decides.
     *
     * @return completes when it leads; fails where this one leads on, or does not lead, and with BUSY where this one
     *     has not led for long, has not heard from the other for a while, or is just handing over
     */
    CompletableFuture<Void> handOver(UUID successor);

    /**
     * The store as it is now; a follower's may be replaced by a snapshot of the leader's at any time, and must not be
     * used when that happens: who does not lead asks {@link #read}.
     */
    GroupStore store();

    /** How much has come of a snapshot of the leader's that is on its way here; empty where none is. */
    Optional<SnapshotProgress> receiving();

    /** Something that is read of a store. */
    @FunctionalInterface
    interface Reading {
        /** @param view as of one moment */
        void read(View view) throws TatamiException;
    }

    /**
     * Reads what the replica has applied, which may be behind; the store is not closed or replaced before that is over.
     *
     * @throws TatamiException UNAVAILABLE where the replica is closed or has failed; or what {@code reading} throws
     */
    void read(Reading reading) throws TatamiException;

    /** Leaves the group until it is opened again; waits for {@link Listener#follows} where it leads. */
    @Override
    void close();
}
