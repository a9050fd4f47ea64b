/**
 * A metadata server process: its start, the groups that it hosts, the way of a request to its group, rights of users,
 * and connections to other servers. Imported by the wiring in {@code io.tatami.server.node} and
 * {@code io.tatami.server.cli}.
 */
@NullMarked
package io.tatami.meta.service.host;

import org.jspecify.annotations.NullMarked;
