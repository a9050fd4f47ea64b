package io.tatami.meta.service.replicate;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.CommitLog;
import io.tatami.meta.log.raft.RaftReplica;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.protocol.wire.SetGroupMembersRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a group lead while its replica does. What the group begins with is the first entry of its log, so that no replica
 * can have come to lead without it. Called by the replica, one call at a time.
 */
final class ReplicaTerms implements RaftReplica.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaTerms.class);

    private final HostedGroup group;
    private final GroupPart<Draft> membership;
    private final Executor afterPause;
    private final Optional<GroupRecord> beginning;
    private @Nullable CommitLog current;

    /**
     * @param setMembers asked by the namespace's leader while this replica leads
     * @param afterPause runs what it is given a moment later
     * @param beginning of a group that this server founds; it is committed where the log has nothing yet
     */
    ReplicaTerms(
            HostedGroup group,
            Function<SetGroupMembersRequest, CompletableFuture<Void>> setMembers,
            Executor afterPause,
            Optional<GroupRecord> beginning) {
        this.group = group;
        this.beginning = beginning;
        this.afterPause = afterPause;
        this.membership = new MembersHandlers(setMembers);
    }

    @Override
    public void leads(GroupStore store, CommitLog log) {
        LOG.info("{} is led from here, from entry {} on", group.id(), store.appliedIndex() + 1);
        synchronized (this) {
            current = log;
        }
        begin(store, log);
    }

    /** Where a batch could not be committed though the term goes on, the leader's memory begins anew. */
    private synchronized void begin(GroupStore store, CommitLog log) {
        if (current != log || !isBegun(store, log)) {
            return;
        }
        try {
            CompletableFuture<Void> unused =
                    group.lead(store, log, membership).thenRunAsync(() -> begin(store, log), afterPause);
        } catch (TatamiException e) {
            group.fail(e);
        }
    }

    /**
     * Whether the group has what it begins with, if need be from now on; where that fails, another term tries again.
     */
    private boolean isBegun(GroupStore store, CommitLog log) {
        if (GroupStores.isBegun(store)) {
            return true;
        }
        if (beginning.isEmpty() || store.appliedIndex() != 0) {
            group.fail(new TatamiException(
                    ErrorCode.CORRUPT,
                    "this replica of " + group.id() + " leads without the group's first records, after entry "
                            + store.appliedIndex() + "; remove this server, and add it with an empty directory"));
            return false;
        }
        try {
            log.commit(GroupStores.beginning(beginning.get(), store));
            return true;
        } catch (TatamiException e) {
            LOG.info("{} has not begun yet", group.id(), e);
            return false;
        }
    }

    @Override
    public CompletableFuture<Void> follows() {
        LOG.info("{} is not led from here any more", group.id());
        synchronized (this) {
            current = null;
        }
        group.follow();
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void excluded() {
        group.exclude();
    }

    @Override
    public void failed(TatamiException reason) {
        group.fail(reason);
    }
}
