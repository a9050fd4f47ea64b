/**
 * Framing, handshake, queues and event loops that both ends of a connection use. Imported by
 * {@code io.tatami.rpc.netty.client} and {@code io.tatami.rpc.netty.server}.
 */
@NullMarked
package io.tatami.rpc.netty.shared;

import org.jspecify.annotations.NullMarked;
