package io.tatami.client.model;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.nio.charset.StandardCharsets;

/**
 * An absolute, normalized path of one cluster: {@code /}, or names that each have a slash before them. Made only by
 * {@link #of} and from other paths, so that every one that exists is well formed.
 */
public final class TatamiPath implements Comparable<TatamiPath> {
    static final int NAME_BYTES_MAX = 255;
    static final int PATH_BYTES_MAX = 8_000;

    public static final TatamiPath ROOT = new TatamiPath("/");

    private final String text;

    private TatamiPath(String text) {
        this.text = text;
    }

    /**
     * The path that {@code text} writes.
     *
     * @throws TatamiException INVALID_ARGUMENT for a relative path, an empty name (so also a slash at the end), the
     *     names {@code .} and {@code ..}, and a NUL; PATH_TOO_LONG beyond {@link #NAME_BYTES_MAX} or
     *     {@link #PATH_BYTES_MAX}
     */
    public static TatamiPath of(String text) throws TatamiException {
        if (text.equals("/")) {
            return ROOT;
        }
        if (!text.startsWith("/") || text.indexOf('\0') >= 0) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "Invalid path name " + text);
        }
        for (int start = 1; start <= text.length(); ) {
            int slash = text.indexOf('/', start);
            int end = slash < 0 ? text.length() : slash;
            checkName(text, text.substring(start, end));
            start = end + 1;
            if (slash == text.length() - 1) {
                throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "Invalid path name " + text);
            }
        }
        return checkedLength(new TatamiPath(text));
    }

    /**
     * The entry {@code name} of this directory.
     *
     * @throws TatamiException as {@link #of}; also INVALID_ARGUMENT where the name has a slash
     */
    public TatamiPath child(String name) throws TatamiException {
        if (name.indexOf('/') >= 0) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "Invalid name " + name);
        }
        return of(childText(name));
    }

    /** {@link #child} for a name that the cluster gave, and that is therefore well formed. */
    public TatamiPath listedChild(String name) {
        return new TatamiPath(childText(name));
    }

    public boolean isRoot() {
        return text.length() == 1;
    }

    /** The last name; empty for the root. */
    public String name() {
        return text.substring(text.lastIndexOf('/') + 1);
    }

    /** The directory this is an entry of; of the root, the root. */
    public TatamiPath parent() {
        int slash = text.lastIndexOf('/');
        return slash == 0 ? ROOT : new TatamiPath(text.substring(0, slash));
    }

    /** How many names; 0 for the root. */
    public int depth() {
        return isRoot() ? 0 : (int) text.chars().filter(c -> c == '/').count();
    }

    /** The ancestor, or this, with the first {@code depth} names. */
    public TatamiPath prefix(int depth) {
        int end = 0;
        for (int i = 0; i < depth; i++) {
            int slash = text.indexOf('/', end + 1);
            end = slash < 0 ? text.length() : slash;
        }
        return end == 0 ? ROOT : new TatamiPath(text.substring(0, end));
    }

    /** Whether this is {@code other} or lies below it. */
    public boolean startsWith(TatamiPath other) {
        return other.isRoot()
                || (text.startsWith(other.text)
                        && (text.length() == other.text.length() || text.charAt(other.text.length()) == '/'));
    }

    private String childText(String name) {
        return isRoot() ? "/" + name : text + "/" + name;
    }

    private static void checkName(String path, String name) throws TatamiException {
        if (name.isEmpty() || name.equals(".") || name.equals("..")) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "Invalid path name " + path);
        }
        if (utf8Bytes(name) > NAME_BYTES_MAX) {
            throw new TatamiException(
                    ErrorCode.PATH_TOO_LONG,
                    "The name " + name + " has " + utf8Bytes(name) + " bytes; the limit is " + NAME_BYTES_MAX);
        }
    }

    private static TatamiPath checkedLength(TatamiPath path) throws TatamiException {
        if (utf8Bytes(path.text) > PATH_BYTES_MAX) {
            throw new TatamiException(
                    ErrorCode.PATH_TOO_LONG, "A path has more than " + PATH_BYTES_MAX + " bytes: " + path.text);
        }
        return path;
    }

    private static int utf8Bytes(String text) {
        return text.length() <= NAME_BYTES_MAX / 3 ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
    }

    @Override
    public int compareTo(TatamiPath other) {
        return text.compareTo(other.text);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TatamiPath path && path.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** As {@link #of} takes it. */
    @Override
    public String toString() {
        return text;
    }
}
