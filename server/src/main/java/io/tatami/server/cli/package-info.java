/** The commands of {@code bin/tatami} that start, stop and administer servers. Imported by {@code launch}. */
@NullMarked
package io.tatami.server.cli;

import org.jspecify.annotations.NullMarked;
