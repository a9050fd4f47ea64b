/**
 * The answers of status commands: their collection, and their output as text and as JSON. Imported by
 * {@code server.cli..}, {@code server.console} and {@code server.dump}.
 */
@NullMarked
package io.tatami.server.status;

import org.jspecify.annotations.NullMarked;
