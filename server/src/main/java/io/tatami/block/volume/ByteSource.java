package io.tatami.block.volume;

import io.tatami.base.TatamiException;
import java.nio.ByteBuffer;

/** Bytes for a {@link BlockWriter}, which are taken from the front. Used by one thread. */
public interface ByteSource {
    /** How many bytes were not taken yet. */
    int remaining();

    /**
     * Takes {@code length} bytes, of those {@link #remaining}, to {@code into} from {@code index} on.
     *
     * @throws TatamiException where they cannot be had; {@code into} may have some of them then
     */
    void take(int length, ByteBuffer into, int index) throws TatamiException;
}
