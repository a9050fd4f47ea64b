package io.tatami.meta.log;

import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.store.StoreMemory;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/** This process's side of all groups that are replicated: one Raft server on one port, with a log for each group. */
public final class RaftHost implements AutoCloseable {
    private RaftHost() {}

    /**
     * Takes part from here on, with no group yet.
     *
     * @param self with the port to listen on, not 0
     * @param directory where the logs are; made where it is absent. It belongs to this server for life
     * @throws TatamiException WRONG_CLUSTER or CORRUPT where the directory is another server's; IO_ERROR where it cannot be
     *     used or the port is taken
     */
    public static RaftHost open(UUID cluster, Member self, Path directory, RaftSettings settings) throws TatamiException {
        throw new UnsupportedOperationException(cluster + " " + self + directory + settings);
    }

    /**
     * Opens a replica of a group; the listener may hear of it before this returns.
     *
     * @param store the directory of its records, whose parent exists; what is there is opened, and is the replica's until
     *     it is closed
     * @param founders the members of a new group, the same at each of them, the first preferred as leader; empty for a
     *     replica that the leader adds later. Without effect where the replica was opened before
     * @throws TatamiException CORRUPT where what the replica had promised to keep is gone or damaged
     */
    public RaftReplica open(
            GroupId group, Path store, StoreMemory memory, List<Member> founders, RaftReplica.Listener listener)
            throws TatamiException {
        throw new UnsupportedOperationException(group + " " + store + memory + founders + listener);
    }

    /** Closes what is still open of it. */
    @Override
    public void close() {
        // Nothing is open yet.
    }
}
