/**
 * Framing, handshake, queues and event loops of both ends of a connection. Imports neither {@code netty.client} nor
 * {@code netty.server}. Imported by {@code rpc.netty..}, {@code client}, {@code meta.service.host}, {@code server.node}
 * and {@code benchmarks.workload.bulk}.
 */
@NullMarked
package io.tatami.rpc.netty.shared;

import org.jspecify.annotations.NullMarked;
