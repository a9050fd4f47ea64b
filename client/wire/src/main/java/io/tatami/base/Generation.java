package io.tatami.base;

/**
 * The fencing token of a block: its home raises it before another writer or a recovery may change the block. A server
 * refuses a writer below the generation that it has, and a reader that asks for a higher one.
 */
public record Generation(long value) implements Comparable<Generation> {
    /** Below those of all blocks: of what is not there; asked for, any copy will do. */
    public static final Generation NONE = new Generation(0);

    /** What a block begins with. */
    public static final Generation FIRST = new Generation(1);

    /** Not below that of any block. */
    public static final Generation MAX = new Generation(Long.MAX_VALUE);

    public Generation {
        Check.check(value >= 0, "generation %d is negative", value);
    }

    /** A stored one; most blocks are at their first, and share one object. */
    public static Generation of(long value) {
        return value == FIRST.value ? FIRST : new Generation(value);
    }

    public Generation next() {
        return of(Math.incrementExact(value));
    }

    public boolean isBelow(Generation other) {
        return value < other.value;
    }

    public boolean isAbove(Generation other) {
        return value > other.value;
    }

    @Override
    public int compareTo(Generation other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
