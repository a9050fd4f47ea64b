/**
 * The operations of a shard on files and symlinks, one a file: each pure, from state and request to changes and reply.
 * Imported by the metadata service, and by operations on leases.
 */
@NullMarked
package io.tatami.meta.op.file;

import org.jspecify.annotations.NullMarked;
