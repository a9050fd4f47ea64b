/** Operations of a shard that delete files by name. Imported by {@code meta.service.move}. */
@NullMarked
package io.tatami.meta.op.remove;

import org.jspecify.annotations.NullMarked;
