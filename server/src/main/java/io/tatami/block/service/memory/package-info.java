/**
 * Memory that is shared with readers and writers on the server's host. Imported by {@code service.write},
 * {@code service.read} and the server.
 */
@NullMarked
package io.tatami.block.service.memory;

import org.jspecify.annotations.NullMarked;
