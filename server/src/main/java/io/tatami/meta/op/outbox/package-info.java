/**
 * Operations on a shard's outbox, which keeps messages to other shards until these have acknowledged them. Imported by
 * {@code meta.service.move}.
 */
@NullMarked
package io.tatami.meta.op.outbox;

import org.jspecify.annotations.NullMarked;
