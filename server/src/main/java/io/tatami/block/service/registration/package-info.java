/**
 * The server's place in its cluster: registration, heartbeats, credits, and news of damage for the shards. Imported by
 * the server and the wiring in {@code io.tatami.server}.
 */
@NullMarked
package io.tatami.block.service.registration;

import org.jspecify.annotations.NullMarked;
