/**
 * What clients ask of a cluster now: counts of groups and block servers, and rates between two of them. Imported by
 * {@code server.cli} and {@code server.console}.
 */
@NullMarked
package io.tatami.server.traffic;

import org.jspecify.annotations.NullMarked;
