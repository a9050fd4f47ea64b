/**
 * Operations that spread the entries of a directory over more shards. Imported by {@code meta.service.move} and
 * {@code meta.service.tree.flow}.
 */
@NullMarked
package io.tatami.meta.op.widen;

import org.jspecify.annotations.NullMarked;
