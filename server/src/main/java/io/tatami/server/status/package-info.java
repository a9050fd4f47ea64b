/**
 * The answers of status commands: their collection, and their output as text and as JSON. Imported by
 * {@code server.cli..}, {@code server.console}, {@code server.dump} and {@code server.traffic}.
 */
@NullMarked
package io.tatami.server.status;

import org.jspecify.annotations.NullMarked;
