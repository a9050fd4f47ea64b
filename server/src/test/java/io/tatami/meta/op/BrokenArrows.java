package io.tatami.meta.op;

import io.tatami.block.volume.Volume;
import java.util.concurrent.locks.ReentrantLock;
import org.rocksdb.RocksDBException;

/** Breaks the arrows on purpose, so that the test of the architecture shows that it would notice. */
final class BrokenArrows {
    private final Volume otherHalf;
    private final ReentrantLock threads = new ReentrantLock();

    BrokenArrows(Volume otherHalf) {
        this.otherHalf = otherHalf;
    }

    Volume otherHalf() throws RocksDBException {
        if (threads.isLocked()) {
            throw new RocksDBException("never thrown");
        }
        return otherHalf;
    }
}
