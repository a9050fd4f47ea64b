package io.tatami.client.file;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import java.util.List;

/**
 * A block as far as a reader may read it.
 *
 * @param offsetBytes where it begins in the file
 * @param lengthBytes above 0
 * @param servers those with a copy
 */
record BlockExtent(BlockId block, Generation generation, long offsetBytes, long lengthBytes, List<ServerId> servers) {
    long endBytes() {
        return offsetBytes + lengthBytes;
    }

    boolean contains(long position) {
        return position >= offsetBytes && position < endBytes();
    }
}
