/**
 * Copies of blocks that this server is told to make: which are admitted, and how they are pulled from other servers.
 * Imported by {@code block.service}.
 */
@NullMarked
package io.tatami.block.service.copy;

import org.jspecify.annotations.NullMarked;
