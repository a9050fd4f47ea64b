/**
 * Background passes over a volume in use: scrubbing, compaction and prewriting. Imported by
 * {@code block.service.report}.
 */
@NullMarked
package io.tatami.block.volume.maintain;

import org.jspecify.annotations.NullMarked;
