/**
 * Operations on the outbox of a shard: messages to other shards are kept there until they are acknowledged. Imported by
 * {@code io.tatami.meta.service.move}.
 */
@NullMarked
package io.tatami.meta.op.outbox;

import org.jspecify.annotations.NullMarked;
