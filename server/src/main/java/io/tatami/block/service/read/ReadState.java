package io.tatami.block.service.read;

import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.Volume;

/**
 * The state of a read session. A state holds the objects that can be used in it, and no others. Changed by the
 * session's turn.
 *
 * <pre>
 *  Unread --&gt; Reading &lt;--&gt; Parked, Starved      and from each to Over
 * </pre>
 */
sealed interface ReadState {
    /** Nothing was read; the end of the range is fixed when the block is opened. */
    record Unread() implements ReadState {}

    /** A reader of the volume is open, and may hold buffers. */
    record Reading(BlockReader reader, long endOffset, Volume volume) implements ReadState {}

    /** The stream stands still and holds no buffer; it goes on when the window is open and there is room to send. */
    record Parked(long endOffset) implements ReadState {}

    /** There was no memory for a frame: the stream holds no buffer, and asks again now and then. */
    record Starved(long endOffset) implements ReadState {}

    /** The stream was answered. */
    record Over() implements ReadState {}
}
