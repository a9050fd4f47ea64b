package io.tatami.meta.service.host;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a server is made of, closed from the last to the first. Owned by one thread. */
final class Resources implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Resources.class);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    <T extends AutoCloseable> T keep(T part) {
        parts.push(part);
        return part;
    }

    /** An executor, whose queued work is dropped at the end. */
    <T extends ExecutorService> T keep(T executor, String name) {
        parts.push(() ->
                LOG.debug("{}: {} tasks dropped", name, executor.shutdownNow().size()));
        return executor;
    }

    /** Closes everything because of {@code reason}, in which failures are noted. */
    void closeAfter(Exception reason) {
        try {
            close();
        } catch (TatamiException e) {
            reason.addSuppressed(e);
        }
    }

    /** Everything is closed, whatever fails; the first failure is thrown. */
    @Override
    public void close() throws TatamiException {
        TatamiException failure = null;
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                if (failure == null) {
                    failure = new TatamiException(
                            ErrorCode.INTERNAL, "a component of the server could not be closed: " + e, e);
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
