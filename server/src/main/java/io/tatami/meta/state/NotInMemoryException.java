package io.tatami.meta.state;

/**
 * A view that may look at nothing but memory would have had to wait for the disk, or to walk over a range. Nothing is
 * wrong: another view, on a thread that may wait, knows. Has no stack trace, as it is thrown often.
 */
public final class NotInMemoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NotInMemoryException() {
        super("not in memory", null, false, false);
    }
}
