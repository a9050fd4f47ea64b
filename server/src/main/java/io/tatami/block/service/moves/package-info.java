/**
 * Moves of blocks between the volumes of one server: drains of volumes, and the balance between them. Imported by
 * {@code block.service}.
 */
@NullMarked
package io.tatami.block.service.moves;

import org.jspecify.annotations.NullMarked;
