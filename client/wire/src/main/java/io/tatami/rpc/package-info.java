/**
 * Calls and streams between processes, as interfaces that a simulated network can implement. Imports {@code base},
 * {@code conf} and {@code protocol}, and no sockets. Every package but these may import it.
 */
@NullMarked
package io.tatami.rpc;

import org.jspecify.annotations.NullMarked;
