/**
 * The server's end of a connection over sockets. Only code that starts a server imports it; other code registers
 * methods in a {@code HandlerTable}. Imported by {@code benchmarks.workload.blocks},
 * {@code benchmarks.workload.ceiling}, {@code meta.service.host} and {@code server.node}.
 */
@NullMarked
package io.tatami.rpc.netty.server;

import org.jspecify.annotations.NullMarked;
