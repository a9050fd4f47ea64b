package io.tatami.block.device;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Flushes for many callers at once: whoever comes while a flush runs waits for the next one, and all who wait share it.
 * A flush that was already running proves nothing for a write that returned after it began. Who waits is woken once,
 * when its own flush has ended or, for the one who does it, can begin.
 */
public final class SharedFlush {
    private final Device device;
    private final IoThreads threads;

    // Guarded by this.
    private boolean running;
    private @Nullable Flush next;
    private @Nullable TatamiException failure;

    /** One that has not begun, or runs. Futures, as they wake all who wait at once, and do not end by an interrupt. */
    private static final class Flush {
        private final CompletableFuture<@Nullable Void> turn = new CompletableFuture<>();
        private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
    }

    public SharedFlush(Device device, IoThreads threads) {
        this.device = device;
        this.threads = threads;
    }

    /**
     * Returns once a flush that began after this call has ended well; an interrupt is kept for later.
     *
     * @throws TatamiException IO_ERROR, now and ever after, once a flush has failed
     */
    public void flush() throws TatamiException {
        Flush flush;
        boolean leads = false;
        synchronized (this) {
            throwFailure();
            flush = next;
            if (flush == null) {
                flush = new Flush();
                next = flush;
                leads = true;
            }
            if (!running) {
                flush.turn.complete(null);
            }
        }
        if (leads) {
            flush.turn.join();
            lead(flush);
        } else {
            flush.ended.join();
        }
        throwFailure();
    }

    private void lead(Flush flush) {
        boolean flushed = false;
        TatamiException thrown = null;
        try {
            begin();
            CrashPoint.hit("device.flush.before");
            threads.flush(device::flush).await();
            CrashPoint.hit("device.flush.after");
            flushed = true;
        } catch (TatamiException e) {
            thrown = e;
        } finally {
            if (!flushed && thrown == null) {
                thrown = new TatamiException(ErrorCode.INTERNAL, "the device was not flushed: a bug in Tatami");
            }
            end(flush, thrown);
        }
    }

    private synchronized void begin() throws TatamiException {
        next = null;
        running = true;
        throwFailure();
    }

    private void end(Flush flush, @Nullable TatamiException thrown) {
        synchronized (this) {
            running = false;
            if (failure == null) {
                failure = thrown;
            }
            if (next != null) {
                next.turn.complete(null);
            }
        }
        flush.ended.complete(null);
    }

    private synchronized void throwFailure() throws TatamiException {
        if (failure != null) {
            throw failure;
        }
    }
}
