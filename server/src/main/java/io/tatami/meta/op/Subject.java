package io.tatami.meta.op;

import io.tatami.protocol.MessagePaths;

/**
 * What somebody wants to do something to, as messages tell it.
 *
 * @param place its path, or one of {@link MessagePaths}
 * @param name behind the place; empty for the place itself
 */
public record Subject(String place, String name, boolean directory) {
    /** The directory that the request's handle is for. */
    public static final Subject PARENT = directory(MessagePaths.PARENT);

    public static Subject file(String path) {
        return new Subject(path, "", false);
    }

    public static Subject directory(String path) {
        return new Subject(path, "", true);
    }

    /** A file or symlink in the directory that the request's handle is for. */
    public static Subject entry(String name) {
        return new Subject(MessagePaths.PARENT, name, false);
    }

    public String path() {
        return name.isEmpty() ? place : place + "/" + name;
    }
}
