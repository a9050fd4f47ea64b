/**
 * The log of a group by Raft on Apache Ratis: replicas of this server, members, leadership. Imported by
 * {@code io.tatami.meta.service}.
 */
@NullMarked
package io.tatami.meta.log.raft;

import org.jspecify.annotations.NullMarked;
