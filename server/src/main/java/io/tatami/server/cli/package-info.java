/**
 * The commands of {@code bin/tatami} that start, stop and administer servers. {@code TatamiServer} has the main method.
 * No package imports it.
 */
@NullMarked
package io.tatami.server.cli;

import org.jspecify.annotations.NullMarked;
