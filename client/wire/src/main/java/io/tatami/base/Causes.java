package io.tatami.base;

import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What is in the wrappings that a failed future puts around it, and what a failure says. */
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

    /**
     * What a failure says, for people. It has the name of its class only where it says nothing else.
     *
     * @param thrown whose text may be a path alone, as that of many failures of files is
     */
    public static String inWords(Throwable thrown) {
        Throwable cause = unwrapped(thrown);
        if (cause instanceof NoSuchFileException missing) {
            return "there is no " + missing.getFile();
        }
        if (cause instanceof AccessDeniedException denied) {
            return "this user may not access " + denied.getFile();
        }
        if (cause instanceof FileAlreadyExistsException existing) {
            return existing.getFile() + " is there already";
        }
        if (cause instanceof DirectoryNotEmptyException full) {
            return full.getFile() + " is not empty";
        }
        if (cause instanceof NotDirectoryException file) {
            return file.getFile() + " is not a directory";
        }
        String message = cause.getMessage();
        return message == null || message.isEmpty() ? cause.getClass().getSimpleName() : message;
    }
}
