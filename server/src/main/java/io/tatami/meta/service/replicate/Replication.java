package io.tatami.meta.service.replicate;

import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.raft.snapshot.SnapshotProgress;
import io.tatami.meta.state.wire.GroupRecord;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/** How what the groups of this server decide becomes durable, and thereby when they lead. */
interface Replication extends AutoCloseable {
    /**
     * Opens what is stored of a group, which may lead from {@link #start} on.
     *
     * @throws TatamiException CORRUPT and the like for what is stored
     */
    void open(GroupRecord record, HostedGroup group) throws TatamiException;

    /** Lets the groups begin; the server listens. */
    void start() throws TatamiException;

    /** Opens a replica that the cluster has given this server; the group's leader fills it. By one thread at a time. */
    void add(HostedGroup group) throws TatamiException;

    /** Closes the replica of a group whose terms have ended, and leaves what is stored of it. As {@link #add}. */
    void remove(GroupId group);

    /** Deletes what is stored of a group that was removed. As {@link #add}; may be done again after a crash. */
    void drop(GroupId group) throws TatamiException;

    /** Lets another server lead a group that leads here; without effect where it does not. Returns at once. */
    void handOver(GroupId group, UUID successor);

    /** The groups of which something may be stored here for a replica, open or not. */
    List<GroupId> stored();

    /** The number of the last entry applied to a replica here; empty where there is none that could be moved. */
    OptionalLong appliedIndex(GroupId group);

    /** How much of a snapshot has come to a replica here; empty where none is on its way. */
    Optional<SnapshotProgress> receiving(GroupId group);

    /** The id of the server that leads a group, as far as that is known here; empty where this one may. */
    Optional<UUID> leader(GroupId group);

    /** Metadata servers of the cluster, as far as this one remembers them from before; perhaps too few, or old ones. */
    List<InetSocketAddress> knownServers();

    /** Called when no group leads any more. */
    @Override
    void close() throws TatamiException;
}
