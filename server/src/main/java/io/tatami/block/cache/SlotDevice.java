package io.tatami.block.cache;

import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessKind;
import io.tatami.block.device.AccessTimes;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.Device;
import io.tatami.block.device.FailStop;
import io.tatami.block.device.GuardedDevice;
import io.tatami.block.device.HangPatience;
import io.tatami.block.device.IoThreads;
import io.tatami.block.device.PendingAccess;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tier's device as slots of one unit each. Once stopped, by an error or because it did not answer a few times in a
 * row, it refuses everything. Safe for use by many threads; {@link #write} waits for the device.
 */
final class SlotDevice {
    private static final Logger LOG = LoggerFactory.getLogger(SlotDevice.class);

    /** After so many waits in a row for a device that hangs it counts as failed. */
    static final int HANGS_MAX = 3;

    private final GuardedDevice device;
    private final long dataOffset;
    private final FailStop failStop;
    private final IoThreads threads;
    private final long waitMillis;
    private final LongAdder hangs = new LongAdder();
    private int hangsInARow;

    /**
     * @param device closed with this
     * @param dataOffset from where on the device is used, whatever it holds
     * @param threads for reads; closed with this
     * @param waitMillis how long readers wait for it
     */
    SlotDevice(Device device, long dataOffset, IoThreads threads, Clock clock, long waitMillis) {
        this.failStop = new FailStop("cache tier " + device.name());
        this.device = new GuardedDevice(device, failStop, clock);
        this.dataOffset = dataOffset;
        this.threads = threads;
        this.waitMillis = waitMillis;
        Check.check(slots() > 0, "a cache tier of %d bytes", device.sizeBytes());
    }

    String name() {
        return device.name();
    }

    int slots() {
        return (int) Math.min(Integer.MAX_VALUE, (device.sizeBytes() - dataOffset) / Device.UNIT_BYTES);
    }

    long waitMillis() {
        return waitMillis;
    }

    /** Why it was stopped; empty while it was not. */
    String failure() {
        return failStop.reason();
    }

    /** @throws TatamiException IO_ERROR where it was stopped */
    void requireServing() throws TatamiException {
        failStop.check();
    }

    void stop(TatamiException failure) {
        if (failStop.reason().isEmpty()) {
            LOG.error("the cache tier {} has failed and is not used any more", device.name(), failure);
        }
        TatamiException unused = failStop.stop(failure);
    }

    /** @param bytes a multiple of 4 KiB */
    void write(int slot, ByteBuffer bytes) throws TatamiException {
        device.write(offsetOf(slot), bytes);
    }

    /** Begins to read {@code length} bytes, a multiple of 4 KiB, from {@code startBytes} of the slot on. */
    PendingAccess fetch(int slot, long startBytes, int length, AlignedBuffer into) {
        long offset = offsetOf(slot) + startBytes;
        return threads.stream(AccessKind.READ).submit(length, () -> device.readFully(offset, into.range(0, length)));
    }

    private long offsetOf(int slot) {
        return dataOffset + (long) slot * Device.UNIT_BYTES;
    }

    /** An access may have begun a while after its reader began to wait, and that the queue is long is no hang. */
    private boolean isHanging() {
        return device.times().longestUnderWayNanos() >= TimeUnit.MILLISECONDS.toNanos(waitMillis) / 2;
    }

    /** How often somebody waited in vain because the device hung. */
    long hangs() {
        return hangs.sum();
    }

    /**
     * Somebody has waited in vain.
     *
     * @return whether it has not answered so often that it is to be stopped
     */
    synchronized boolean waitedInVain() {
        if (!isHanging()) {
            return false;
        }
        hangs.increment();
        hangsInARow++;
        LOG.warn("the cache tier {} does not answer; its volume is read instead", device.name());
        return hangsInARow >= HANGS_MAX;
    }

    synchronized void answered() {
        hangsInARow = 0;
    }

    TatamiException noAnswer() {
        return new TatamiException(
                ErrorCode.IO_ERROR,
                device.name() + " did not complete an access for " + waitMillis + " ms, " + HANGS_MAX
                        + " times in a row");
    }

    /** Whether no access takes longer than readers are patient for. */
    boolean answersSoon() {
        return device.times().longestUnderWayNanos() < AccessTimes.AT_WORK_NANOS;
    }

    /** Whether an access takes so long that none of a slow device would. */
    boolean isStuck() {
        return device.times().isHanging();
    }

    /**
     * Returns when no access is under way and the buffers of all are back, unless the device hangs. Then it is left as
     * it is, for to close it would wait too.
     */
    void close() throws TatamiException {
        TatamiException unused =
                failStop.stop(new TatamiException(ErrorCode.UNAVAILABLE, "the cache device is closed"));
        // Copies are written by the threads of those who stage.
        if (threads.close(this::isStuck) && HangPatience.await(device.times()::awaitIdle, this::isStuck)) {
            device.close();
        } else {
            LOG.warn("the cache tier {} hangs, and is left to the end of this process", device.name());
        }
    }
}
