/**
 * Memory that the server shares with readers and writers on its own host. Imported by {@code block.service},
 * {@code block.service.read} and {@code block.service.write}.
 */
@NullMarked
package io.tatami.block.service.memory;

import org.jspecify.annotations.NullMarked;
