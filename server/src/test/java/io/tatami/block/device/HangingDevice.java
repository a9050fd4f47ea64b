package io.tatami.block.device;

import io.tatami.base.TatamiException;
import java.nio.ByteBuffer;

/** A device whose accesses do not end while it hangs. Safe for use by many threads. */
public final class HangingDevice implements Device {
    private final Device device;
    private boolean hangs;
    private int hanging;

    public HangingDevice(Device device) {
        this.device = device;
    }

    public synchronized void hang() {
        hangs = true;
    }

    public synchronized void goOn() {
        hangs = false;
        notifyAll();
    }

    /** Returns once an access hangs. */
    public synchronized void awaitHanging() throws InterruptedException {
        while (hanging == 0) {
            wait();
        }
    }

    private synchronized void pass() {
        hanging++;
        notifyAll();
        while (hangs) {
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
        pass();
        device.readFully(offsetBytes, into);
    }

    @Override
    public void write(long offsetBytes, ByteBuffer from) throws TatamiException {
        pass();
        device.write(offsetBytes, from);
    }

    @Override
    public void flush() throws TatamiException {
        device.flush();
    }

    @Override
    public void close() throws TatamiException {
        device.close();
    }
}
