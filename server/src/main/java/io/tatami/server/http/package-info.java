/**
 * The HTTP port of a server process: connections, routes, and the one place where rights are asked. Imported by
 * {@code server.console}, {@code server.monitor} and {@code server.node}.
 */
@NullMarked
package io.tatami.server.http;

import org.jspecify.annotations.NullMarked;
