/**
 * The operations of a shard on write leases: who holds them, and how a file is closed whose writer is gone. Each pure,
 * from state and request to changes and reply. Imported by the metadata service.
 */
@NullMarked
package io.tatami.meta.op.lease;

import org.jspecify.annotations.NullMarked;
