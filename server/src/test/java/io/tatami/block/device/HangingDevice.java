package io.tatami.block.device;

import io.tatami.base.TatamiException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/** A device whose reads and writes, or whose flushes, do not end while it hangs. Safe for use by many threads. */
public final class HangingDevice implements Device {
    private final Device device;
    private boolean hangs;
    private boolean hangsAtFlush;
    private int hanging;

    public HangingDevice(Device device) {
        this.device = device;
    }

    /** From now on reads and writes hang. */
    public synchronized void hang() {
        hangs = true;
    }

    /** From now on flushes hang. */
    public synchronized void hangAtFlush() {
        hangsAtFlush = true;
    }

    public synchronized void goOn() {
        hangs = false;
        hangsAtFlush = false;
        notifyAll();
    }

    /** Returns once an access or a flush hangs. */
    public synchronized void awaitHanging() throws InterruptedException {
        while (hanging == 0) {
            wait();
        }
    }

    private synchronized void pass(BooleanSupplier hangsNow) {
        hanging++;
        notifyAll();
        while (hangsNow.getAsBoolean()) {
            try {
                wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException("a device thread was interrupted", e);
            }
        }
        hanging--;
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
        pass(() -> hangs);
        device.readFully(offsetBytes, into);
    }

    @Override
    public void write(long offsetBytes, ByteBuffer from) throws TatamiException {
        pass(() -> hangs);
        device.write(offsetBytes, from);
    }

    @Override
    public void flush() throws TatamiException {
        pass(() -> hangsAtFlush);
        device.flush();
    }

    @Override
    public void close() throws TatamiException {
        device.close();
    }
}
