/** {@code tatami lab …}. Imports {@code io.tatami.server.lab}. Imported by {@code io.tatami.server.cli} alone. */
@NullMarked
package io.tatami.server.lab.command;

import org.jspecify.annotations.NullMarked;
