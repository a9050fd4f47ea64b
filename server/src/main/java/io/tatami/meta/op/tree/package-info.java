/** Operations of the namespace group on the directory tree. Imported by {@code meta.service.tree..}. */
@NullMarked
package io.tatami.meta.op.tree;

import org.jspecify.annotations.NullMarked;
