/**
 * Framing, handshake, queues and event loops of both ends of a connection. Imports neither {@code netty.client} nor
 * {@code netty.server}. Imported by {@code benchmarks.workload.blocks}, {@code benchmarks.workload.bulk},
 * {@code benchmarks.workload.ceiling}, {@code client}, {@code meta.service.host}, {@code rpc.netty..} and
 * {@code server.node}.
 */
@NullMarked
package io.tatami.rpc.netty.shared;

import org.jspecify.annotations.NullMarked;
