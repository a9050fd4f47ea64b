/**
 * How a shard deletes and renames: the flows of a rename across shards, what ends one after a crash, and the outbox.
 * Imported by {@code io.tatami.meta.service.host}, which lists the parts of a shard.
 */
@NullMarked
package io.tatami.meta.service.move;

import org.jspecify.annotations.NullMarked;
