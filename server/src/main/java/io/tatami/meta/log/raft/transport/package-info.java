/** Corrections of the transport and of the elections of Ratis. Imported by {@code io.tatami.meta.log.raft}. */
@NullMarked
package io.tatami.meta.log.raft.transport;

import org.jspecify.annotations.NullMarked;
