/**
 * A metadata server: its start, its groups, the dispatch of requests to them, the groups of users, and connections to
 * other servers. Imported by {@code auth}, {@code server.cli}, {@code server.monitor} and {@code server.node}.
 */
@NullMarked
package io.tatami.meta.service.host;

import org.jspecify.annotations.NullMarked;
