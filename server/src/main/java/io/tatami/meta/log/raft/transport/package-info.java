/**
 * Corrections of Ratis: its transport, its elections, and the durability of votes. Imported by {@code meta.log.raft}.
 */
@NullMarked
package io.tatami.meta.log.raft.transport;

import org.jspecify.annotations.NullMarked;
