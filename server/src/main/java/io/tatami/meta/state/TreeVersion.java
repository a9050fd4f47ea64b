package io.tatami.meta.state;

/**
 * The number of a change of the tree, given by the namespace leader and never reused; a later change has a higher one,
 * across leaders too. A handle carries the one that it was made at.
 */
public record TreeVersion(long value) implements Comparable<TreeVersion> {
    /** Below those of all changes. */
    public static final TreeVersion NONE = new TreeVersion(0);

    public TreeVersion next() {
        return new TreeVersion(value + 1);
    }

    public boolean isBelow(TreeVersion other) {
        return value < other.value;
    }

    public boolean isAbove(TreeVersion other) {
        return value > other.value;
    }

    @Override
    public int compareTo(TreeVersion other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return "v" + value;
    }
}
