/**
 * A group's records on disk, in RocksDB. The only package of the metadata server that imports RocksDB. Imported by
 * {@code meta.log.local}, {@code meta.log.raft..}, {@code meta.service..}, {@code server.node} and
 * {@code benchmarks..}.
 */
@NullMarked
package io.tatami.meta.store;

import org.jspecify.annotations.NullMarked;
