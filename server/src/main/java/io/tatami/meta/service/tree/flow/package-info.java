/**
 * The flows of the directory tree on the leader of the namespace, and the handlers of the tree on shards. Imported by
 * {@code io.tatami.meta.service.host}, which lists the handlers.
 */
@NullMarked
package io.tatami.meta.service.tree.flow;

import org.jspecify.annotations.NullMarked;
