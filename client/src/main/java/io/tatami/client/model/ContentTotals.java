package io.tatami.client.model;

/**
 * What lies at and below a path, the path itself included.
 *
 * @param lengthBytes of all files
 * @param spaceBytes lengths times replication
 */
public record ContentTotals(long lengthBytes, long files, long directories, long spaceBytes) {}
