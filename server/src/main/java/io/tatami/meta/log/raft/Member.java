package io.tatami.meta.log.raft;

import java.net.InetSocketAddress;
import java.util.UUID;

/**
 * A metadata server as the replicated log knows it.
 *
 * @param server its id for life; a server that has lost its disk comes back under another one
 * @param address of its Raft port; need not be resolved
 */
public record Member(UUID server, InetSocketAddress address) {}
