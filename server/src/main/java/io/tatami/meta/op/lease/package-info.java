/**
 * Operations of a shard on write leases: renewal, expiry, and the closing of files after the loss of their writer.
 * Imported by {@code meta.service.file}.
 */
@NullMarked
package io.tatami.meta.op.lease;

import org.jspecify.annotations.NullMarked;
