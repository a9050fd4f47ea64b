/**
 * Snapshots of a replicated group: the pace at which they are made and sent, and their progress. Imported by
 * {@code meta.log.raft}, {@code meta.log.raft.transport}, {@code meta.service.host} and {@code meta.service.replicate}.
 */
@NullMarked
package io.tatami.meta.log.raft.snapshot;

import org.jspecify.annotations.NullMarked;
