/**
 * Passes over a volume while it serves: scrubbing, compaction, and writing free room ahead. Imported by
 * {@code block.service.report}.
 */
@NullMarked
package io.tatami.block.volume.maintain;

import org.jspecify.annotations.NullMarked;
