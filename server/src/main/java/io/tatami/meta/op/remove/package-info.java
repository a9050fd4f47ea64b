/** Operations that delete files by their names. Imported by {@code io.tatami.meta.service.move}. */
@NullMarked
package io.tatami.meta.op.remove;

import org.jspecify.annotations.NullMarked;
