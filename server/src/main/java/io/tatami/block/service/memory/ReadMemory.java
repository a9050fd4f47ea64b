package io.tatami.block.service.memory;

import io.tatami.base.TatamiException;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.AlignedBufferPool;
import io.tatami.block.device.Device;
import io.tatami.block.device.HugePages;
import io.tatami.client.block.SharedUnits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Memory that the server fills for a reader. It is unmapped when no device reads into it any more. */
final class ReadMemory implements LentMemory {
    /** A read that was under way when the connection was lost has heard of it by the second. */
    static final int ATTEMPTS_MIN = 2;

    private final SharedUnits units;
    private final AlignedBufferPool pool;
    private final List<AlignedBuffer> back = new ArrayList<>();
    private int attempts;

    private ReadMemory(SharedUnits units) {
        this.units = units;
        this.pool = new AlignedBufferPool(Device.UNIT_BYTES, units.memory());
    }

    /** @throws TatamiException as {@link SharedUnits#create} */
    static ReadMemory create(Path path, int units) throws TatamiException {
        SharedUnits made = SharedUnits.create(path, units);
        HugePages.collapse(path, (long) units * SharedUnits.UNIT_BYTES);
        return new ReadMemory(made);
    }

    @Override
    public Path path() {
        return units.path();
    }

    /** Its units. */
    AlignedBufferPool pool() {
        return pool;
    }

    @Override
    public synchronized boolean tryFree() {
        if (++attempts < ATTEMPTS_MIN) {
            return false;
        }
        AlignedBuffer buffer = pool.tryAcquire();
        while (buffer != null) {
            back.add(buffer);
            buffer = pool.tryAcquire();
        }
        if (back.size() < pool.buffers()) {
            return false;
        }
        units.close();
        return true;
    }
}
