package io.tatami.meta.log.raft;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.EntryFormat;
import io.tatami.meta.log.LogEntry;
import io.tatami.meta.log.StateHash;
import io.tatami.meta.state.Changes;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.state.wire.ReplicatedEntry;
import io.tatami.meta.store.GroupStore;
import java.util.NavigableMap;
import org.apache.ratis.server.protocol.TermIndex;
import org.jspecify.annotations.Nullable;

/**
 * Applies what a majority has in its log. Every replica takes and refuses the same entries, because both depend on the
 * entries before alone; and where its state is not the one that an entry of the same place was decided on, it stops.
 * Used by one thread.
 */
final class EntryApplier {
    private @Nullable Pending pending;

    /**
     * An entry of which some parts have come.
     *
     * @param before the place in the Raft log up to which nothing is pending
     */
    private record Pending(
            long index, long raftTerm, int parts, TermIndex before, NavigableMap<byte[], Draft.Change> changes) {}

    /**
     * Applies an entry, or keeps a part of one.
     *
     * @param at its place in the Raft log
     * @param before the place of what was applied before it
     * @return false where it is refused, by all replicas alike: it was decided on an older state, or the parts before
     *     it are not there
     * @throws TatamiException CORRUPT where this replica has come apart from the others; or the store failed
     */
    boolean apply(GroupStore store, ReplicatedEntry part, TermIndex at, TermIndex before) throws TatamiException {
        ProgressRecord now = store.progress();
        if (at.getIndex() <= now.getRaftIndex()) {
            // Raft begins at the last snapshot, and the store has kept more.
            return true;
        }
        if (part.getPart() == 0) {
            pending = new Pending(part.getIndex(), at.getTerm(), 0, before, Changes.noChanges());
        }
        Pending entry = pending;
        if (entry == null || !isNextOf(entry, part, at) || !isDecidedHere(part, now, at)) {
            pending = null;
            return false;
        }
        EntryFormat.addTo(entry.changes(), part);
        if (part.getMoreParts()) {
            pending = new Pending(entry.index(), entry.raftTerm(), entry.parts() + 1, entry.before(), entry.changes());
            return true;
        }
        pending = null;
        LogEntry whole = new LogEntry(part.getIndex(), part.getLogMillis(), entry.changes());
        store.apply(
                ProgressRecord.newBuilder()
                        .setAppliedIndex(whole.index())
                        .setLogMillis(whole.logMillis())
                        .setRaftTerm(at.getTerm())
                        .setRaftIndex(at.getIndex())
                        .setStateHash(StateHash.after(now.getStateHash(), whole))
                        .setReplicated(true)
                        .build(),
                whole.changes());
        return true;
    }

    private static boolean isNextOf(Pending entry, ReplicatedEntry part, TermIndex at) {
        return entry.index() == part.getIndex() && entry.raftTerm() == at.getTerm() && entry.parts() == part.getPart();
    }

    /** Whether the entry was decided on the state that is here; false where that is newer. */
    private static boolean isDecidedHere(ReplicatedEntry part, ProgressRecord now, TermIndex at)
            throws TatamiException {
        long next = now.getAppliedIndex() + 1;
        if (part.getIndex() == next
                && part.getStateHash() == now.getStateHash()
                && part.getDecidedAt() == now.getRaftIndex()) {
            return true;
        }
        if (part.getIndex() < next && part.getDecidedAt() < now.getRaftIndex()) {
            return false;
        }
        throw new TatamiException(
                ErrorCode.CORRUPT,
                "this replica has diverged from its group: entry " + part.getIndex() + " (Raft " + at
                        + ") was decided on a state of hash " + Long.toHexString(part.getStateHash())
                        + " left by Raft entry " + part.getDecidedAt() + ", but here the state after entry "
                        + now.getAppliedIndex() + " has hash " + Long.toHexString(now.getStateHash())
                        + " and was left by Raft entry " + now.getRaftIndex()
                        + ". The replica has stopped; remove this server from the group, and add it with an empty"
                        + " directory, which gives it a new id");
    }

    /** The place up to which the store has everything, given that of what was applied last. */
    TermIndex settled(TermIndex lastApplied) {
        Pending entry = pending;
        return entry == null ? lastApplied : entry.before();
    }

    /** The store was replaced. */
    void reset() {
        pending = null;
    }
}
