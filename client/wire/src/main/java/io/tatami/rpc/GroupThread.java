package io.tatami.rpc;

import java.util.concurrent.Executor;

/**
 * The one thread that does a group's work, in the order in which it is given. The transport that made it also serves
 * connections on it, those of clients who ask for the group: their requests reach the group, and the replies the
 * sockets, without being handed from one thread to another. Safe for use by many threads.
 */
public interface GroupThread extends Executor, AutoCloseable {
    /** Whether the caller is on it. */
    boolean isCurrent();

    /**
     * Ends it after the work that it has by now. Connections that it serves are closed once their sockets were given
     * what was answered. Waits for that; not to be called on the thread itself.
     */
    @Override
    void close();
}
