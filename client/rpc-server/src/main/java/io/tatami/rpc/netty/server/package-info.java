/**
 * The end of a connection that serves, over sockets. Imported by code that wires processes together; all else takes a
 * {@code HandlerTable}.
 */
@NullMarked
package io.tatami.rpc.netty.server;

import org.jspecify.annotations.NullMarked;
