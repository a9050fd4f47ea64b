package io.tatami.block.service.read;

import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.ReadUnit;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadCredit;

/**
 * How the units of one read stream get to its reader. Used by whoever has the session's turn; {@link #credit} is called
 * on the event loop at any time.
 */
public interface UnitDelivery extends AutoCloseable {
    /** What of the request's credit counts, in bytes. */
    long firstCredit(ReadBlockRequest request);

    /** Opens a reader that reads to where this delivery wants units. */
    BlockReader open(VolumeSet.Found found, Generation generation, long offsetBytes, long lengthBytes)
            throws TatamiException;

    /** Whether a unit is here of which something was not sent. */
    boolean hasMore();

    /** Takes ownership of the next unit; only where nothing is left of the one before. */
    void load(ReadUnit unit);

    /** Whether there is memory for a frame now; where not, the unit goes back and is asked for again later. */
    boolean canSend();

    /**
     * Sends what goes into one frame, where {@link #canSend}; no more chunks than {@code creditBytes}, above 0, asks
     * for.
     */
    Sent send(long creditBytes);

    /** The reader has read something: what that is worth, in bytes. */
    long credit(ReadCredit message);

    /** Whether there is nowhere to read to, though there is credit: another delivery is needed. */
    boolean isStuck();

    /** Gives back what was loaded and not sent; the reader is about to be closed. */
    void park();

    /** {@link #park()}, and what the reader still has is the reader's no more. */
    @Override
    void close();

    /**
     * A frame that was sent.
     *
     * @param bytes of the block in it
     * @param cost how much credit it took
     * @param origin where the bytes were read
     */
    record Sent(int bytes, long cost, ReadUnit.Origin origin) {}
}
