package io.tatami.meta.op.tree;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** An absolute path as its names; none for the root. */
public record TreePath(List<String> names) {
    private static final int NAME_BYTES_MAX = 255;
    private static final int PATH_BYTES_MAX = 8_000;

    /** A path can grow by renames above it, and is read up to this length. */
    private static final int CHARACTERS_MAX = 64_000;

    /**
     * @throws TatamiException INVALID_ARGUMENT for a path that is not absolute and normalized; PATH_TOO_LONG for one
     *     that is longer than any that was ever made
     */
    public static TreePath parse(String path) throws TatamiException {
        if (path.length() > CHARACTERS_MAX) {
            throw new TatamiException(
                    ErrorCode.PATH_TOO_LONG,
                    "The path has " + path.length() + " characters; the limit is " + CHARACTERS_MAX);
        }
        if (path.equals("/")) {
            return new TreePath(List.of());
        }
        if (!path.startsWith("/")) {
            throw invalid(path);
        }
        List<String> names = new ArrayList<>();
        int start = 1;
        while (start <= path.length()) {
            int slash = path.indexOf('/', start);
            int end = slash < 0 ? path.length() : slash;
            String name = path.substring(start, end);
            if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('\0') >= 0) {
                throw invalid(path);
            }
            names.add(name);
            start = end + 1;
        }
        if (path.endsWith("/")) {
            throw invalid(path);
        }
        return new TreePath(names);
    }

    /** @throws TatamiException PATH_TOO_LONG where nothing may be made under this path */
    public void requireAllowedLengths() throws TatamiException {
        int sizeBytes = 0;
        for (String name : names) {
            int nameBytes = name.getBytes(StandardCharsets.UTF_8).length;
            if (nameBytes > NAME_BYTES_MAX) {
                throw new TatamiException(
                        ErrorCode.PATH_TOO_LONG,
                        "The name " + name.substring(0, NAME_BYTES_MAX / 3) + "... has " + nameBytes
                                + " bytes; the limit is " + NAME_BYTES_MAX);
            }
            sizeBytes += 1 + nameBytes;
        }
        if (sizeBytes > PATH_BYTES_MAX) {
            throw new TatamiException(
                    ErrorCode.PATH_TOO_LONG, "The path has " + sizeBytes + " bytes; the limit is " + PATH_BYTES_MAX);
        }
    }

    public boolean isRoot() {
        return names.isEmpty();
    }

    public int length() {
        return names.size();
    }

    /** The last name; empty for the root. */
    public String name() {
        return names.isEmpty() ? "" : names.get(names.size() - 1);
    }

    /** The path of the first {@code count} names. */
    public String prefix(int count) {
        return count == 0 ? "/" : "/" + String.join("/", names.subList(0, count));
    }

    /** Whether this path leads through {@code other} and further. */
    public boolean isBelow(TreePath other) {
        return length() > other.length() && names.subList(0, other.length()).equals(other.names);
    }

    @Override
    public String toString() {
        return prefix(length());
    }

    private static TatamiException invalid(String path) {
        return new TatamiException(ErrorCode.INVALID_ARGUMENT, "Invalid path name " + path);
    }
}
