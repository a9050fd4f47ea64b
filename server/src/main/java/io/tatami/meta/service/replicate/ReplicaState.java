package io.tatami.meta.service.replicate;

import io.tatami.base.GroupId;
import java.util.OptionalLong;

/**
 * How one replica of this process is at a moment.
 *
 * @param appliedIndex of the last log entry that it has applied; empty where it is not open
 * @param queuedRequests that wait for the group's thread; 0 where it does not lead
 * @param failure why it decides nothing until it is opened again; empty where it works
 */
public record ReplicaState(
        GroupId group, boolean leads, OptionalLong appliedIndex, int queuedRequests, String failure) {}
