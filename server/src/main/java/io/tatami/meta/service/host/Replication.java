package io.tatami.meta.service.host;

import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.wire.GroupRecord;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
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

    /** The id of the server that leads a group, as far as that is known here; empty where this one may. */
    Optional<UUID> leader(GroupId group);

    /** Metadata servers of the cluster, as far as this one remembers them from before; perhaps too few, or old ones. */
    List<InetSocketAddress> knownServers();

    /** Called when no group leads any more. */
    @Override
    void close() throws TatamiException;
}
