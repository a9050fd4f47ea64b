/**
 * What the directory of a metadata server says of it: cluster, id, groups, and the servers it knew. Imported by
 * {@code replicate} and {@code host}.
 */
@NullMarked
package io.tatami.meta.service.identity;

import org.jspecify.annotations.NullMarked;
