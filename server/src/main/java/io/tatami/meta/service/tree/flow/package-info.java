/**
 * Flows of the directory tree on the leader of the namespace group, and a shard's handlers for it. Imported by
 * {@code meta.service.host}.
 */
@NullMarked
package io.tatami.meta.service.tree.flow;

import org.jspecify.annotations.NullMarked;
