package io.tatami.meta.service.replicate;

import io.tatami.base.Check;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.log.raft.snapshot.SnapshotProgress;
import io.tatami.meta.service.identity.Identity;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.meta.service.identity.StoredIdentity;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.store.GroupStore;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Of all groups of a server, each by the log that its identity says, and how a group goes from the one to the other.
 * Changed by one thread at a time; asked by any.
 */
public final class ServerReplication implements Replication {
    private final StoredIdentity own;
    private final RaftPort port;
    private final ServerLocation location;
    private final LocalReplication local;
    private final RaftOpening opening;
    private volatile @Nullable RaftReplication raft;

    /** Opens the side of the replicated logs; their classes are loaded only where there are some. */
    @FunctionalInterface
    public interface RaftOpening {
        RaftReplication open() throws TatamiException;
    }

    public ServerReplication(
            StoredIdentity own, RaftPort port, ServerLocation location, LocalReplication local, RaftOpening opening) {
        this.own = own;
        this.port = port;
        this.location = location;
        this.local = local;
        this.opening = opening;
    }

    @Override
    public void open(GroupRecord record, HostedGroup group) throws TatamiException {
        if (own.get().isReplicated(group.id())) {
            raft().open(record, group);
        } else {
            local.open(record, group);
        }
    }

    /** Opened when there is a first group for it. */
    private synchronized RaftReplication raft() throws TatamiException {
        RaftReplication known = raft;
        if (known != null) {
            return known;
        }
        if (own.get().replicas().port() == 0) {
            int chosen = port.choose(location);
            own.change(identity -> identity.withRaftPort(chosen));
            CrashPoint.hit("meta.replicate.port-noted");
        }
        RaftReplication opened = opening.open();
        raft = opened;
        return opened;
    }

    @Override
    public void start() throws TatamiException {
        local.start();
        RaftReplication known = raft;
        if (known != null) {
            known.start();
        }
    }

    /**
     * Has a group that leads here for good go on by a replicated log, as whose first member this server begins with
     * what its store holds. Requests are refused for the moment between. At no time do both logs take something: the
     * local one has ended before the identity names the other, and takes nothing any more once the store is sealed.
     *
     * @throws TatamiException before the group was touched, or with it served here no more until the next start
     */
    public void replicate(HostedGroup group) throws TatamiException {
        Check.check(!own.get().isReplicated(group.id()), "%s is replicated already", group.id());
        RaftReplication replicated = raft();
        try {
            goOver(group, replicated);
        } catch (TatamiException e) {
            group.fail(e);
            throw e;
        }
    }

    private void goOver(HostedGroup group, RaftReplication replicated) throws TatamiException {
        GroupStore store = local.release(group);
        CrashPoint.hit("meta.replicate.local-log-ended");
        try {
            own.change(identity -> identity.holding(group.id(), Identity.Log.GROWN));
        } catch (TatamiException e) {
            store.close();
            throw e;
        }
        CrashPoint.hit("meta.replicate.noted");
        replicated.add(group, store);
        CrashPoint.hit("meta.replicate.replica-opened");
    }

    @Override
    public void add(HostedGroup group) throws TatamiException {
        raft().add(group);
    }

    @Override
    public void remove(GroupId group) {
        RaftReplication known = raft;
        if (known != null) {
            known.remove(group);
        }
    }

    @Override
    public void drop(GroupId group) throws TatamiException {
        raft().drop(group);
    }

    @Override
    public List<GroupId> stored() {
        RaftReplication known = raft;
        return known == null ? List.of() : known.stored();
    }

    @Override
    public void handOver(GroupId group, UUID successor) {
        RaftReplication known = raft;
        if (known != null) {
            known.handOver(group, successor);
        }
    }

    @Override
    public OptionalLong appliedIndex(GroupId group) {
        RaftReplication known = raft;
        return known == null ? OptionalLong.empty() : known.appliedIndex(group);
    }

    @Override
    public Optional<SnapshotProgress> receiving(GroupId group) {
        RaftReplication known = raft;
        return known == null ? Optional.empty() : known.receiving(group);
    }

    @Override
    public Optional<UUID> leader(GroupId group) {
        RaftReplication known = raft;
        return known == null ? Optional.empty() : known.leader(group);
    }

    @Override
    public List<InetSocketAddress> knownServers() {
        RaftReplication known = raft;
        return known == null ? List.of() : known.knownServers();
    }

    @Override
    public void close() throws TatamiException {
        local.close();
        RaftReplication known = raft;
        if (known != null) {
            known.close();
        }
    }
}
