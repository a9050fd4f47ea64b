package io.tatami.block.service.copy;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockTarget;
import java.nio.ByteBuffer;

/** Copies of blocks on other servers. Safe for use by many threads. */
public interface CopySources {
    /** Asks nobody yet. The copy is the caller's to close. */
    SourceCopy of(BlockTarget source, BlockId block, Generation generation, boolean background);

    /**
     * One copy of a block on another server. Calls may wait for that server, none for much longer than it is patient.
     * Used by one thread. Every failure is one of the source.
     */
    interface SourceCopy extends AutoCloseable {
        Description describe() throws TatamiException;

        /** The CRC32C of each chunk of the first {@code lengthBytes} bytes, as the source has stored them. */
        int[] checksums(long lengthBytes) throws TatamiException;

        /** Has the bytes from an offset on sent; once, before {@link #await}. */
        void begin(long offsetBytes, long lengthBytes) throws TatamiException;

        /** Waits until {@link #read} has something to tell, {@code nanos} at most; returns whether it has. */
        boolean await(long nanos) throws TatamiException;

        /** As many bytes as have arrived and fit, with sound checksums; -1 at the end. */
        int read(ByteBuffer into) throws TatamiException;

        /** Tells the source that its chunk at this offset is damaged. Does not wait, and never fails. */
        void reportDamage(long offsetBytes);

        @Override
        void close();
    }

    /** What a server says of its copy. */
    record Description(Generation generation, long lengthBytes, boolean finalized) {}
}
