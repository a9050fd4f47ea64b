package io.tatami.client.model;

/**
 * CRC32C of a file's first bytes, composed from stored checksums; equal for equal bytes, however they are cut.
 *
 * @param lengthBytes how many bytes it covers
 * @param blockSizeBytes the file's
 */
public record FileChecksum(int crc32c, long lengthBytes, long blockSizeBytes) {}
