package io.tatami.block.volume.index;

import io.tatami.base.TatamiException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sorted map of bytes under a block index: RocksDB in production, memory that loses power in tests. Any error of it
 * is final for the volume. Safe for use by many threads.
 */
public interface IndexStore extends AutoCloseable {
    /** One change of a batch: {@code value} null deletes the key. */
    record Change(byte[] key, byte @Nullable [] value) {}

    /**
     * Adds to a number, a long in little-endian bytes that is 0 where its key is not there. Many may add at once, and
     * in any order.
     */
    record Addition(byte[] key, long amount) {}

    /** Takes one entry of a scan. */
    @FunctionalInterface
    interface Visitor {
        void visit(byte[] key, byte[] value) throws TatamiException;
    }

    byte @Nullable [] get(byte[] key) throws TatamiException;

    /** Shows the entries whose keys begin with {@code prefix} as they are at one moment, by rising key. */
    void scan(byte[] prefix, Visitor visitor) throws TatamiException;

    /** Makes all changes durable, or none: when it returns, they survive a power cut. */
    void write(List<Change> changes) throws TatamiException;

    /** {@link #write(List)}, and adds to a number in the same batch. */
    void write(List<Change> changes, Addition addition) throws TatamiException;

    /**
     * Reads all that is durable, without caches as far as that can be had, and tells what is damaged, one sentence
     * each. What is found does not stop the store.
     *
     * @throws TatamiException IO_ERROR where it cannot be read
     */
    List<String> findDamage() throws TatamiException;

    /** How many bytes the file system below has left, of which a part must be kept so that deletes can be written. */
    long usableBytes() throws TatamiException;

    /** Waits for the calls under way; a second call does nothing. */
    @Override
    void close() throws TatamiException;
}
