/** Operations of the namespace group on the directory tree. Imported by {@code io.tatami.meta.service}. */
@NullMarked
package io.tatami.meta.op.tree;

import org.jspecify.annotations.NullMarked;
