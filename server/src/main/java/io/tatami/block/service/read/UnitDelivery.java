package io.tatami.block.service.read;

import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.ReadUnit;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadWindowUpdate;

/**
 * How the units of one read stream get to its reader. Used by whoever has the session's turn; {@link #extension} is
 * called on the event loop at any time.
 */
public interface UnitDelivery extends AutoCloseable {
    /** What of the window that the request asks for counts, in bytes. */
    long firstWindow(ReadBlockRequest request);

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
     * Sends what goes into one frame, where {@link #canSend}; no more chunks than {@code windowBytes}, above 0, asks
     * for.
     */
    Sent send(long windowBytes);

    /** The reader has read something: what that is worth, in bytes. */
    long extension(ReadWindowUpdate message);

    /** Whether there is nowhere to read to, though the window is open: another delivery is needed. */
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
     * @param cost how much of the window it took
     * @param origin where the bytes were read
     */
    record Sent(int bytes, long cost, ReadUnit.Origin origin) {}
}
