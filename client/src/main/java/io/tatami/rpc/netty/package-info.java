/**
 * The transport of {@code io.tatami.rpc} over sockets: handshake, framing, deadlines and back-pressure on Netty. Only
 * code that wires processes together imports it; all else takes a {@code Connector} or a {@code HandlerTable}.
 */
@NullMarked
package io.tatami.rpc.netty;

import org.jspecify.annotations.NullMarked;
