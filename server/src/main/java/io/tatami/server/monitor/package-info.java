/**
 * What a server process tells of itself over HTTP, with no other service beside it: metrics, health, settings, stacks.
 * Imported by {@code server.cli}.
 */
@NullMarked
package io.tatami.server.monitor;

import org.jspecify.annotations.NullMarked;
