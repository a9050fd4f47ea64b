package io.tatami.meta.service.host;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What is in the wrappings of a failed future. */
final class Causes {
    private Causes() {}

    /** The failure as one that can be told to a client; what is none of the world's is a bug, and INTERNAL. */
    static TatamiException of(Throwable thrown) {
        Throwable cause = thrown;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof TatamiException failure
                ? failure
                : new TatamiException(ErrorCode.INTERNAL, "a bug in Tatami: " + cause, cause);
    }
}
