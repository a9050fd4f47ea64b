/**
 * Operations on files that are written: create, append, blocks, completion, truncation, concatenation. Imported by
 * {@code io.tatami.meta.service} and by operations on leases.
 */
@NullMarked
package io.tatami.meta.op.write;

import org.jspecify.annotations.NullMarked;
