package io.tatami.meta.service.replicate;

import io.tatami.base.GroupId;
import java.util.OptionalLong;

/**
 * How one replica of this process is at a moment.
 *
 * @param appliedIndex of the last log entry that it has applied; empty where it is not open
 * @param queuedRequests that wait for the group's thread; 0 where it does not lead
 * @param logBytes what the files of the log take, as of the last question; empty where it does not lead, or nobody has
 *     asked before
 * @param failure why it decides nothing until it is opened again; empty where it works
 */
public record ReplicaState(
        GroupId group,
        boolean leads,
        OptionalLong appliedIndex,
        int queuedRequests,
        OptionalLong logBytes,
        String failure) {}
