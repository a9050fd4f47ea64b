/**
 * Operations of membership: sessions, servers, credits and what a group says of itself. Imported by the metadata
 * service only.
 */
@NullMarked
package io.tatami.meta.op.cluster;

import org.jspecify.annotations.NullMarked;
