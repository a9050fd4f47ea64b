/**
 * Snapshots of the store of a group: the pace at which they are made and sent, and their progress. Imported by
 * {@code io.tatami.meta.log.raft} and {@code io.tatami.meta.service}.
 */
@NullMarked
package io.tatami.meta.log.raft.snapshot;

import org.jspecify.annotations.NullMarked;
