/** Operations that have copies of blocks made and given up. Imported by {@code meta.service.copies}. */
@NullMarked
package io.tatami.meta.op.copies;

import org.jspecify.annotations.NullMarked;
