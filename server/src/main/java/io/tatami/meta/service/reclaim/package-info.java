/**
 * Reclamation on the leader of a shard: blocks of deleted files, entries of deleted directories, and unknown blocks
 * that an audit finds on a block server. Imported by {@code meta.service.host}.
 */
@NullMarked
package io.tatami.meta.service.reclaim;

import org.jspecify.annotations.NullMarked;
