/**
 * The replicas of groups on this server, with a local log or with Raft: opened, made leader for a term, given other
 * members, deleted. Imported by {@code host}.
 */
@NullMarked
package io.tatami.meta.service.replicate;

import org.jspecify.annotations.NullMarked;
