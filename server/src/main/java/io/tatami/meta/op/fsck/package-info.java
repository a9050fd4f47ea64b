/** The check of a shard's records for contradictions, and of its blocks. Imported by {@code meta.service.copies}. */
@NullMarked
package io.tatami.meta.op.fsck;

import org.jspecify.annotations.NullMarked;
