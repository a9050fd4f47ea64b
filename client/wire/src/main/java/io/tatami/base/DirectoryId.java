package io.tatami.base;

/** A directory of the tree. Minted by the namespace group and never reused; 1 is the root, 0 stands for none. */
public record DirectoryId(long value) {
    public static final DirectoryId ROOT = new DirectoryId(1);
    public static final DirectoryId NONE = new DirectoryId(0);

    public DirectoryId {
        Check.check(value >= 0, "directory id %d is negative", value);
    }

    @Override
    public String toString() {
        return "d" + value;
    }
}
