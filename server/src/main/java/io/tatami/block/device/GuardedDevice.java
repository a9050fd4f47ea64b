package io.tatami.block.device;

import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/**
 * A device that checks how it is used, counts and times what passes, and is stopped by the first error of a write or a
 * flush: the flush is never repeated. A write refused for want of space (NO_SPACE) and a failed read do not stop it:
 * they leave nothing in doubt that was durable.
 */
public final class GuardedDevice implements Device {
    private final Device device;
    private final FailStop failStop;
    private final AccessTimes times;
    private final LongAdder readBytes = new LongAdder();
    private final LongAdder writtenBytes = new LongAdder();
    private final LongAdder errors = new LongAdder();

    /** @param device owned by the new object, which closes it */
    public GuardedDevice(Device device, FailStop failStop, Clock clock) {
        this.device = device;
        this.failStop = failStop;
        this.times = new AccessTimes(clock);
    }

    @Override
    public String name() {
        return device.name();
    }

    @Override
    public long sizeBytes() {
        return device.sizeBytes();
    }

    @Override
    public void readFully(long offsetBytes, ByteBuffer into) throws TatamiException {
        int length = into.remaining();
        checkRange(offsetBytes, length);
        failStop.checkReads();
        AccessTimes.Running access = times.begin(AccessTimes.Measure.ofRead(length), length);
        boolean well = false;
        try {
            device.readFully(offsetBytes, into);
            well = true;
        } catch (TatamiException e) {
            errors.increment();
            throw e;
        } finally {
            access.end(well);
        }
        readBytes.add(length);
    }

    @Override
    public void write(long offsetBytes, ByteBuffer from) throws TatamiException {
        int length = from.remaining();
        checkRange(offsetBytes, length);
        failStop.check();
        AccessTimes.Running access = times.begin(AccessTimes.Measure.ofWrite(length), length);
        boolean well = false;
        try {
            device.write(offsetBytes, from);
            well = true;
        } catch (TatamiException e) {
            errors.increment();
            throw e.code() == ErrorCode.NO_SPACE ? e : failStop.stop(e);
        } finally {
            access.end(well);
        }
        writtenBytes.add(length);
    }

    @Override
    public void flush() throws TatamiException {
        failStop.check();
        AccessTimes.Running access = times.beginFlush();
        boolean well = false;
        try {
            device.flush();
            well = true;
        } catch (TatamiException e) {
            errors.increment();
            throw failStop.stop(e);
        } finally {
            access.end(well);
        }
    }

    @Override
    public void close() throws TatamiException {
        device.close();
    }

    /** How long the device takes. */
    public AccessTimes times() {
        return times;
    }

    /** Bytes read since this object was made. */
    public long readBytes() {
        return readBytes.sum();
    }

    /** Bytes written since this object was made. */
    public long writtenBytes() {
        return writtenBytes.sum();
    }

    /** Calls that failed since this object was made. */
    public long errors() {
        return errors.sum();
    }

    private void checkRange(long offsetBytes, int length) {
        Check.check(
                (offsetBytes | length) % ALIGNMENT_BYTES == 0,
                "I/O of %d bytes at %d is not aligned",
                length,
                offsetBytes);
        Check.check(
                offsetBytes >= 0 && offsetBytes + length <= sizeBytes(),
                "I/O of %d bytes at %d is outside %s",
                length,
                offsetBytes,
                name());
    }
}
