/**
 * The log of a replicated group by Raft, on Apache Ratis: the group's state machine, its members and its leadership.
 * Only this package and those below it import Ratis; the packages below do not import this one. Imported by
 * {@code meta.service.identity}, {@code meta.service.replicate} and {@code server.node}.
 */
@NullMarked
package io.tatami.meta.log.raft;

import org.jspecify.annotations.NullMarked;
