/** The commands of {@code bin/tatami}. Imported by tests and benchmarks alone. */
@NullMarked
package io.tatami.server.cli;

import org.jspecify.annotations.NullMarked;
