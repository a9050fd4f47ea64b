/**
 * Read streams. Their sessions take turns on the threads of a volume. Executors and clock are passed in. Imported by
 * {@code block.service}.
 */
@NullMarked
package io.tatami.block.service.read;

import org.jspecify.annotations.NullMarked;
