/**
 * The client's end of a connection over sockets. Only code that starts a client or a server imports it; other code uses
 * a {@code Connector}. Imported by {@code benchmarks.workload.blocks}, {@code benchmarks.workload.bulk},
 * {@code benchmarks.workload.ceiling}, {@code client}, {@code meta.service.host} and {@code server.node}.
 */
@NullMarked
package io.tatami.rpc.netty.client;

import org.jspecify.annotations.NullMarked;
