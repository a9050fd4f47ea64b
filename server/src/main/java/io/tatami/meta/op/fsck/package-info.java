/** The check of a shard's records against each other. Imported by the metadata service only. */
@NullMarked
package io.tatami.meta.op.fsck;

import org.jspecify.annotations.NullMarked;
