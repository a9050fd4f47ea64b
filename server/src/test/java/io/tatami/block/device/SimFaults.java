package io.tatami.block.device;

import org.jspecify.annotations.Nullable;

/**
 * Counts every access of a simulated volume, to its disk and to its index, and makes one of them fail. Safe for use by
 * many threads.
 */
public final class SimFaults {
    /** What happens to the access that was chosen. */
    public enum Fault {
        /** Power goes: this access may have had any effect, and all later ones fail until {@link #powerOn()}. */
        POWER_CUT,
        /** The access fails; it may have had any effect. */
        IO_ERROR,
        /** A write is refused without effect; other accesses go on as if nothing was. */
        NO_SPACE
    }

    private long accesses;
    private long faultAt = Long.MAX_VALUE;
    private @Nullable Fault fault;
    private boolean powerOff;
    private volatile Runnable watch = () -> {};

    /** Runs {@code watch} before each access from now on; it may arm a fault for it. */
    public void watch(Runnable now) {
        watch = now;
    }

    /** Lets the {@code nth} access from now on fail, 0 for the next. */
    public synchronized void arm(long nth, Fault chosen) {
        faultAt = accesses + nth;
        fault = chosen;
    }

    /** Accesses since the start, failed ones included. */
    public synchronized long accesses() {
        return accesses;
    }

    /** Whether the fault that was armed has happened. */
    public synchronized boolean hasStruck() {
        return accesses > faultAt;
    }

    /** Whether the power has gone. */
    public synchronized boolean isPowerOff() {
        return powerOff;
    }

    public synchronized void powerOn() {
        powerOff = false;
        faultAt = Long.MAX_VALUE;
    }

    /** Counts an access; what is to happen to it, null for nothing. */
    public @Nullable Fault next() {
        watch.run();
        return counted();
    }

    private synchronized @Nullable Fault counted() {
        boolean struck = accesses++ == faultAt;
        if (powerOff) {
            return Fault.POWER_CUT;
        }
        powerOff = struck && fault == Fault.POWER_CUT;
        return struck ? fault : null;
    }
}
