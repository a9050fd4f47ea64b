/**
 * The directory tree as the leader of the namespace has it in memory: locks on names, announcements to shards, changes
 * under way. Imported by {@code flow}.
 */
@NullMarked
package io.tatami.meta.service.tree;

import org.jspecify.annotations.NullMarked;
