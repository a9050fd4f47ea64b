/**
 * Where a group's decisions become durable: {@code CommitLog} and its kinds, the only importer of
 * {@code org.apache.ratis}. Imported by the metadata service only.
 */
@NullMarked
package io.tatami.meta.log;

import org.jspecify.annotations.NullMarked;
