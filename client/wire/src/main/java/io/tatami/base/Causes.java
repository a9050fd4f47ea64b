package io.tatami.base;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What is in the wrappings that a failed future puts around it. */
public final class Causes {
    private Causes() {}

    /** The failure itself; the wrapping where there is nothing in it. */
    public static Throwable unwrapped(Throwable thrown) {
        Throwable cause = thrown;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** The failure as one that can be told to a client; what is none of the world's is a bug, and INTERNAL. */
    public static TatamiException of(Throwable thrown) {
        Throwable cause = unwrapped(thrown);
        return cause instanceof TatamiException failure
                ? failure
                : new TatamiException(ErrorCode.INTERNAL, "a bug in Tatami: " + cause, cause);
    }
}
