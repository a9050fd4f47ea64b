package io.tatami.server.node;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Closes what a server is made of, the last made first, and all of it whatever fails. */
public final class PartsCloser {
    private PartsCloser() {}

    /** Closes everything because of {@code reason}, in which failures are noted. */
    public static void closeAfter(Deque<AutoCloseable> parts, Exception reason) {
        try {
            close(parts);
        } catch (TatamiException e) {
            reason.addSuppressed(e);
        }
    }

    /** @throws TatamiException the first failure, the others suppressed in it */
    public static void close(Deque<AutoCloseable> parts) throws TatamiException {
        @Nullable TatamiException failure = null;
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                TatamiException told = e instanceof TatamiException tatami
                        ? tatami
                        : new TatamiException(
                                ErrorCode.INTERNAL, "a component of the server could not be closed: " + e, e);
                if (failure == null) {
                    failure = told;
                } else {
                    failure.addSuppressed(told);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
