/**
 * The server's place in its cluster: registration, heartbeats, credits, news of damage for the shards, and how it knows
 * metadata servers. Imported by the server and the wiring in {@code io.tatami.server}.
 */
@NullMarked
package io.tatami.block.service.registration;

import org.jspecify.annotations.NullMarked;
