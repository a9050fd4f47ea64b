/**
 * Names that go and names that change: delete, rename within a shard and across two, and the messages by which a file's
 * home follows. Imported by {@code io.tatami.meta.service.move}.
 */
@NullMarked
package io.tatami.meta.op.move;

import org.jspecify.annotations.NullMarked;
