package io.tatami.meta.op.file;

import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;

/**
 * What the cluster allows of files.
 *
 * @param blockSizeBytesMin the smallest block size that may be asked for, at least 1
 * @param inlineBytesMax the longest content that is stored with the metadata
 */
public record FileLimits(long blockSizeBytesMin, int inlineBytesMax) {
    static final int INLINE_BYTES_MAX_DEFAULT = 16 << 10;
    static final long BLOCK_SIZE_BYTES_MAX = 2L << 30;
    static final int REPLICATION_MAX = 16;

    /** How many blocks are granted at once, however many are asked for. */
    public static final int GRANTS_MAX = 16;

    /** The setting that {@link #blockSizeBytesMin} comes from. */
    public static final String BLOCK_SIZE_MIN_KEY = "tatami.block.size.min";

    /** The setting of clients for how many copies of each block a close waits for. */
    public static final String COPIES_MIN_KEY = "tatami.client.copies.min";

    /** Takes blocks of every size: what tests and micro-benchmarks of single operations use. */
    public static final FileLimits DEFAULT = new FileLimits(1, INLINE_BYTES_MAX_DEFAULT);

    public FileLimits {
        Check.check(
                blockSizeBytesMin >= 1 && inlineBytesMax >= 0,
                "minimum block size of %d bytes, %d bytes inline",
                blockSizeBytesMin,
                inlineBytesMax);
    }

    /** For new files; those that are there keep their block size and can be appended to. */
    public void requireBlockSize(long sizeBytes) throws TatamiException {
        if (sizeBytes < blockSizeBytesMin) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Specified block size of " + sizeBytes + " bytes is less than the configured minimum of "
                            + blockSizeBytesMin + " bytes (" + BLOCK_SIZE_MIN_KEY + ")");
        }
        if (sizeBytes > BLOCK_SIZE_BYTES_MAX) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Specified block size of " + sizeBytes + " bytes is more than the maximum of "
                            + BLOCK_SIZE_BYTES_MAX + " bytes");
        }
    }

    /** @param copiesMin how many copies of each block a close is to wait for; 0 for 1 */
    public static void requireCopiesMin(int copiesMin, int replication, String name) throws TatamiException {
        if (copiesMin > replication) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Requested replication factor of " + replication + " is less than the required minimum of "
                            + copiesMin + " for " + name + " (" + COPIES_MIN_KEY + ")");
        }
    }

    public static void requireReplication(int replication, String name) throws TatamiException {
        if (replication < 1 || replication > REPLICATION_MAX) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Requested replication factor of " + replication + " for " + name + " is not between 1 and "
                            + REPLICATION_MAX);
        }
    }
}
