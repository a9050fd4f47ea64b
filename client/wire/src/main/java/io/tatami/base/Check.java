package io.tatami.base;

/**
 * Assertions about our own code, on in production. A failed check is a bug in Tatami, never bad input: bad input and
 * failing devices are told by {@link TatamiException}.
 */
public final class Check {
    private Check() {}

    /** Throws {@link IllegalStateException} unless {@code condition} holds. */
    public static void check(boolean condition, String message) {
        if (!condition) {
            throw new IllegalStateException(message);
        }
    }

    /**
     * Throws {@link IllegalStateException} unless {@code condition} holds; the message is formatted with
     * {@link String#format} only then.
     */
    public static void check(boolean condition, String format, Object... arguments) {
        if (!condition) {
            throw new IllegalStateException(String.format(format, arguments));
        }
    }
}
