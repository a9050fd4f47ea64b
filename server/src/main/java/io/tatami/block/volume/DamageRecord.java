package io.tatami.block.volume;

import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.FailStop;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one way in which a block of a volume comes to be called damaged. What one read got wrong may be the way and not
 * the medium, so the read is made again, and only what is wrong twice is damage. Safe for use by many threads.
 */
final class DamageRecord {
    private static final Logger LOG = LoggerFactory.getLogger(DamageRecord.class);

    private final String device;
    private final FailStop failStop;
    private final VolumeResources.DamageListener chunks;
    private final LongAdder damagedChunks = new LongAdder();
    private volatile Consumer<StoredBlock> copies = copy -> {};

    /** @param chunks told of each chunk that failed its checksum twice */
    DamageRecord(String device, FailStop failStop, VolumeResources.DamageListener chunks) {
        this.device = device;
        this.failStop = failStop;
        this.chunks = chunks;
    }

    /** Reads something of a block and checks it. */
    @FunctionalInterface
    interface CheckedRead<T> {
        /**
         * @param again false for the first time, true for the second
         * @throws TatamiException IO_ERROR or CORRUPT for what may be damage, such as {@link #mismatch}; others are not
         *     a matter of the medium, and end the read
         */
        T read(boolean again) throws TatamiException;
    }

    /** From now on {@code listener} hears of each copy that is found damaged, once; it must return soon. */
    void onDamagedCopy(Consumer<StoredBlock> listener) {
        copies = listener;
    }

    /** How many chunks failed their checksums, one that was read more than once counted each time. */
    long damagedChunks() {
        return damagedChunks.sum();
    }

    /** What a {@link CheckedRead} throws where the chunk at {@code offsetBytes} of the block fails its checksum. */
    TatamiException mismatch(Replica replica, long offsetBytes) {
        return new TatamiException(
                ErrorCode.CORRUPT,
                "block " + replica.block() + " does not match its checksum in the chunk at " + offsetBytes + " on "
                        + device,
                new Detail.DamagedChunk(offsetBytes));
    }

    /**
     * Reads, and once more where that failed. The block is damaged where the second read fails, too.
     *
     * @throws TatamiException what the last read threw; IO_ERROR where the volume has stopped, which says nothing of
     *     the block
     */
    <T> T readTwice(Replica replica, CheckedRead<T> read) throws TatamiException {
        try {
            return read.read(false);
        } catch (TatamiException e) {
            if (!mayBeDamage(e)) {
                throw e;
            }
            LOG.debug("block {} on {} is read again", replica.block(), device, e);
        }
        try {
            return read.read(true);
        } catch (TatamiException e) {
            if (mayBeDamage(e)) {
                condemn(replica, e);
            }
            throw e;
        }
    }

    private boolean mayBeDamage(TatamiException failure) throws TatamiException {
        failStop.checkReads();
        return failure.code() == ErrorCode.CORRUPT || failure.code() == ErrorCode.IO_ERROR;
    }

    private void condemn(Replica replica, TatamiException failure) {
        boolean isNews = replica.markDamaged();
        // Without a place it is a unit that cannot be read, or the index's checksums.
        if (failure.detail() instanceof Detail.DamagedChunk chunk) {
            damagedChunks.increment();
            chunks.chunkDamaged(replica.block(), chunk.offsetBytes());
        }
        if (isNews) {
            copies.accept(replica.describe());
        }
    }
}
