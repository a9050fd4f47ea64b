/**
 * Operations on membership: sessions, metadata servers, replicas, credits and safe mode. Imported by
 * {@code meta.service..}.
 */
@NullMarked
package io.tatami.meta.op.cluster;

import org.jspecify.annotations.NullMarked;
