/**
 * The operations of the directory tree: those of the namespace group, and those by which shards learn of the tree's
 * changes. Imported by the metadata service only.
 */
@NullMarked
package io.tatami.meta.op.tree;

import org.jspecify.annotations.NullMarked;
