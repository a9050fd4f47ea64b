/**
 * Which servers take blocks, as pure planning over facts that are handed in. Imported by the metadata operations and
 * service.
 */
@NullMarked
package io.tatami.cluster;

import org.jspecify.annotations.NullMarked;
