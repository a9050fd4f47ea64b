/**
 * How the namespace leader changes the tree in agreement with the shards, and how shards settle what they doubt about
 * it. Imported by the metadata service's host only.
 */
@NullMarked
package io.tatami.meta.service.tree;

import org.jspecify.annotations.NullMarked;
