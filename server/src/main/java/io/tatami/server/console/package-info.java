/**
 * The console: pages in a browser about the whole cluster, with what they ask for. Imported by {@code server.monitor}.
 */
@NullMarked
package io.tatami.server.console;

import org.jspecify.annotations.NullMarked;
