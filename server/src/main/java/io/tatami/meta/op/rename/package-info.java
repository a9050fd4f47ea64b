/**
 * Operations that rename files, within a shard and across two. Imported by {@code io.tatami.meta.service.move} and by
 * operations that share their rules.
 */
@NullMarked
package io.tatami.meta.op.rename;

import org.jspecify.annotations.NullMarked;
