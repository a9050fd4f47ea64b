/**
 * The parts of a server process, wired together: block node, standalone node, data directory, settings. The only
 * package that sees both the metadata server and the block server. Imported by {@code io.tatami.server.cli}, tests and
 * benchmarks.
 */
@NullMarked
package io.tatami.server.node;

import org.jspecify.annotations.NullMarked;
