/**
 * The sessions of a block server, as they run in production, with threads, time, disk and connections that move only
 * when a test moves them.
 */
@NullMarked
package io.tatami.block.service.sim;

import org.jspecify.annotations.NullMarked;
