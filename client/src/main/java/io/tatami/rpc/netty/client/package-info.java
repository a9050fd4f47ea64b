/**
 * The end of a connection that asks, over sockets. Imported by code that wires processes together; all else takes a
 * {@code Connector}.
 */
@NullMarked
package io.tatami.rpc.netty.client;

import org.jspecify.annotations.NullMarked;
