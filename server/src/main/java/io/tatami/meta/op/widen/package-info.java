/** Operations that spread the entries of a directory over more shards. Imported by {@code io.tatami.meta.service}. */
@NullMarked
package io.tatami.meta.op.widen;

import org.jspecify.annotations.NullMarked;
