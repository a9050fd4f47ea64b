/**
 * Deletions and renames on the leader of a shard: the rename across shards, its completion after a crash, the outbox,
 * and the entries of a directory that is widened. Imported by {@code meta.service.host} and {@code server.node}.
 */
@NullMarked
package io.tatami.meta.service.move;

import org.jspecify.annotations.NullMarked;
