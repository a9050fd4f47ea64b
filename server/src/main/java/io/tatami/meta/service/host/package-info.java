/**
 * What makes a process a metadata server: its directory, the groups it hosts and their parts, connections to the
 * others. Imported by the wiring in {@code io.tatami.server}.
 */
@NullMarked
package io.tatami.meta.service.host;

import org.jspecify.annotations.NullMarked;
