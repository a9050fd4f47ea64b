/** The check of a shard's records for contradictions. Imported by {@code meta.service.cluster}. */
@NullMarked
package io.tatami.meta.op.fsck;

import org.jspecify.annotations.NullMarked;
