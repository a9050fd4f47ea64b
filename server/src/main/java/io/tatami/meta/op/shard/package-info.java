/**
 * Operations by which a shard serves the directory tree: announcements to its gate, markers of directories, its slices
 * of directories. Imported by {@code io.tatami.meta.service}.
 */
@NullMarked
package io.tatami.meta.op.shard;

import org.jspecify.annotations.NullMarked;
