/**
 * How a shard gives space back: blocks of files that are gone, entries of directories that are gone, and what an audit
 * finds on servers that nobody knows of. Imported by {@code io.tatami.meta.service.host}, which lists the parts of a
 * shard.
 */
@NullMarked
package io.tatami.meta.service.reclaim;

import org.jspecify.annotations.NullMarked;
