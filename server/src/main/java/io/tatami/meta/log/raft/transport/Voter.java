package io.tatami.meta.log.raft.transport;

import java.io.IOException;

/** A replica that votes in the elections of its group. */
public interface Voter {
    /** A vote of this replica was not written: the replica neither votes nor stands for election any more. */
    void voteFailed(IOException reason);
}
