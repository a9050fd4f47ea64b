package io.tatami.meta.service.host;

import io.tatami.base.TatamiException;
import io.tatami.meta.state.wire.GroupRecord;

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

    /** Called when no group leads any more. */
    @Override
    void close() throws TatamiException;
}
