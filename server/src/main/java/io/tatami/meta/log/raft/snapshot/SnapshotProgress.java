package io.tatami.meta.log.raft.snapshot;

/**
 * How much of a snapshot has come.
 *
 * @param bytes of its files that are here
 * @param bytesTotal of all its files, as the leader says
 */
public record SnapshotProgress(long bytes, long bytesTotal) {}
