/**
 * Membership on the leaders of groups: the cluster map, the watch over servers, sessions and credits. Imported by
 * {@code meta.service.host}.
 */
@NullMarked
package io.tatami.meta.service.cluster;

import org.jspecify.annotations.NullMarked;
