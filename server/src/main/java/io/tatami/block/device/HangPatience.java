package io.tatami.block.device;

import java.util.function.BooleanSupplier;

/**
 * How whoever closes something waits for what is under way on a device: for as long as a device takes that works, and
 * not for one that hangs. It counts looks, not time, so that a process that stood still itself takes no device for one
 * that hangs.
 */
public final class HangPatience {
    static final int LOOKS_MAX = 20;
    private static final long LOOK_MILLIS = 100;

    private HangPatience() {}

    /** Waits for an end. */
    @FunctionalInterface
    public interface End {
        /** Whether it has come, within {@code limitMillis}; no longer than that is waited. */
        boolean await(long limitMillis) throws InterruptedException;
    }

    /**
     * Returns once the end has come, or at {@link #LOOKS_MAX} looks in a row what it waits for hung. An interrupt is
     * kept for later.
     *
     * @return whether it has come
     */
    public static boolean await(End end, BooleanSupplier hangs) {
        boolean interrupted = false;
        boolean ended = false;
        for (int looks = 0; !ended && looks < LOOKS_MAX; looks = hangs.getAsBoolean() ? looks + 1 : 0) {
            try {
                ended = end.await(LOOK_MILLIS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return ended;
    }
}
