/**
 * Membership of the block server in its cluster: registration, heartbeats, credits, notices of damage to shards, and
 * the check of metadata servers' credentials. Imported by {@code benchmarks.workload.blocks},
 * {@code benchmarks.workload.ceiling}, {@code block.service} and {@code server.node}.
 */
@NullMarked
package io.tatami.block.service.registration;

import org.jspecify.annotations.NullMarked;
