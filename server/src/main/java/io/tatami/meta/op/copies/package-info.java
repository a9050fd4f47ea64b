/**
 * Operations that have copies of blocks made and given up, and how well copies are by a shard's records. Imported by
 * {@code meta.op.file}, {@code meta.op.fsck} and {@code meta.service.copies}.
 */
@NullMarked
package io.tatami.meta.op.copies;

import org.jspecify.annotations.NullMarked;
