/**
 * Operations that rename files, within one shard and across two. Imported by {@code meta.op.outbox},
 * {@code meta.op.remove}, {@code meta.op.widen} and {@code meta.service.move}.
 */
@NullMarked
package io.tatami.meta.op.rename;

import org.jspecify.annotations.NullMarked;
