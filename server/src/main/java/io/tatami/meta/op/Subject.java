package io.tatami.meta.op;

import io.tatami.base.RefusalSubject;
import io.tatami.base.RefusalSubject.EntrySubject;
import io.tatami.base.RefusalSubject.PathSubject;
import io.tatami.base.RefusalSubject.RequestDirectory;

/**
 * What a user wants to do something to, as refusals tell it.
 *
 * @param what a {@link PathSubject} where the path is known, else an {@link EntrySubject}
 */
public record Subject(RefusalSubject what, boolean directory) {
    /** The directory that the request's handle is for. */
    public static final Subject PARENT = directory(RequestDirectory.PARENT);

    public static Subject file(String path) {
        return new Subject(new PathSubject(path), false);
    }

    public static Subject directory(String path) {
        return new Subject(new PathSubject(path), true);
    }

    /** A directory of the request itself. */
    public static Subject directory(RequestDirectory directory) {
        return new Subject(new EntrySubject(directory, ""), true);
    }

    /** A file or symlink in the directory that the request's handle is for. */
    public static Subject entry(String name) {
        return entry(RequestDirectory.PARENT, name);
    }

    public static Subject entry(RequestDirectory directory, String name) {
        return new Subject(new EntrySubject(directory, name), false);
    }

    /** As far as it is known here: the path; or else the name, and "." for a directory of the request. */
    String told() {
        if (what instanceof PathSubject path) {
            return path.path();
        }
        return what instanceof EntrySubject entry && !entry.name().isEmpty() ? entry.name() : ".";
    }
}
