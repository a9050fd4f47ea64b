package io.tatami.meta.state;

/**
 * Numbers the marks that renames leave on entries of one shard, so that a late message about one is never taken for
 * news of another. Never reused.
 */
public record MoveMark(long value) {
    /** No mark, or one that nobody knows. */
    public static final MoveMark NONE = new MoveMark(0);

    @Override
    public String toString() {
        return "m" + Long.toUnsignedString(value);
    }
}
