/**
 * The replicas of groups on this server, with a local log or with Raft: their opening, their terms as leader, changes
 * of their members, and their deletion. Does not import {@code host}. Imported by {@code meta.service.host},
 * {@code server.metrics} and {@code server.monitor}.
 */
@NullMarked
package io.tatami.meta.service.replicate;

import org.jspecify.annotations.NullMarked;
