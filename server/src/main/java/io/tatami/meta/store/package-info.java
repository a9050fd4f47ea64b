/**
 * A group's records on disk, in RocksDB: the only importer of {@code org.rocksdb} in the metadata half. Imported by the
 * log and the service of {@code io.tatami.meta}.
 */
@NullMarked
package io.tatami.meta.store;

import org.jspecify.annotations.NullMarked;
