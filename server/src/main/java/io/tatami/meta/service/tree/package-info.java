/**
 * State in memory of the namespace group's leader: locks on names, announcements to shards, and changes in progress.
 * Does not import {@code flow}. Imported by {@code meta.service.tree.flow} and {@code server.node}.
 */
@NullMarked
package io.tatami.meta.service.tree;

import org.jspecify.annotations.NullMarked;
