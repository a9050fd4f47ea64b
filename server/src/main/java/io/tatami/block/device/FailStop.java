package io.tatami.block.device;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the first error after which a volume must not go on, and fails everything that comes later with it. After a
 * failed write or flush nobody knows what the disk holds, and the kernel reports such an error once and then forgets
 * it. Where only the index found no room, what was committed before is not in doubt: then writes stop and reads go on.
 * Shared by all that belongs to one volume. Safe for use by many threads.
 */
public final class FailStop {
    private final String what;
    private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();

    /** The first error after which nothing may be read either. */
    private final AtomicReference<@Nullable Throwable> firstOfAll = new AtomicReference<>();

    private volatile Runnable whenInDoubt = () -> {};

    /** @param what names the volume in errors */
    public FailStop(String what) {
        this.what = what;
    }

    /** @throws TatamiException IO_ERROR with the first error as its cause, once there was one */
    public void check() throws TatamiException {
        Throwable cause = first.get();
        if (cause != null) {
            throw stopped(cause);
        }
    }

    /**
     * {@link #check} for what only reads what is committed.
     *
     * @throws TatamiException as {@link #check}, but not where only writes were stopped
     */
    public void checkReads() throws TatamiException {
        Throwable cause = firstOfAll.get();
        if (cause != null) {
            throw stopped(cause);
        }
    }

    /** Whether nothing may be read either: {@link #checkReads} fails. */
    public boolean stopsReads() {
        return firstOfAll.get() != null;
    }

    /** Stops the volume for {@code cause}, unless it is stopped already; returns what to throw. */
    public TatamiException stop(Throwable cause) {
        if (firstOfAll.compareAndSet(null, cause) && !isClose(cause)) {
            whenInDoubt.run();
        }
        return stopWrites(cause);
    }

    /** Has {@code action} run once an error leaves in doubt what the disk holds, on the thread that met it. */
    public void whenInDoubt(Runnable action) {
        whenInDoubt = action;
    }

    private static boolean isClose(Throwable cause) {
        return cause instanceof TatamiException known && known.code() == ErrorCode.UNAVAILABLE;
    }

    /** Stops what writes for {@code cause}, which leaves nothing in doubt that was committed; returns what to throw. */
    public TatamiException stopWrites(Throwable cause) {
        first.compareAndSet(null, cause);
        Throwable kept = first.get();
        TatamiException stopped = stopped(kept == null ? cause : kept);
        if (kept != cause) {
            stopped.addSuppressed(cause);
        }
        return stopped;
    }

    /** Why the volume stopped; empty while it has not. */
    public String reason() {
        Throwable cause = first.get();
        return cause == null ? "" : Causes.inWords(cause);
    }

    private TatamiException stopped(Throwable cause) {
        if (isClose(cause)) {
            return new TatamiException(ErrorCode.UNAVAILABLE, what + " has stopped: " + cause.getMessage(), cause);
        }
        if (firstOfAll.get() == null) {
            return new TatamiException(
                    ErrorCode.IO_ERROR,
                    what + " refuses writes, and its blocks can still be read: " + Causes.inWords(cause)
                            + ". Free space there, then restart the server",
                    cause);
        }
        return new TatamiException(
                ErrorCode.IO_ERROR,
                what + " has stopped: " + Causes.inWords(cause)
                        + ". Check the disk (dmesg, smartctl), then restart the server",
                cause);
    }
}
