/** {@code tatami lab …}. Imports {@code server.lab}. Imported by {@code server.cli}. */
@NullMarked
package io.tatami.server.lab.command;

import org.jspecify.annotations.NullMarked;
