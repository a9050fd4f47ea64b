/**
 * Operations of a shard for the directory tree: announcements, markers of directories, and slices. Imported by
 * {@code meta.service.move} and {@code meta.service.tree.flow}.
 */
@NullMarked
package io.tatami.meta.op.shard;

import org.jspecify.annotations.NullMarked;
