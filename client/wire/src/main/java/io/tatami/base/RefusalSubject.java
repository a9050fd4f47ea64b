package io.tatami.base;

import java.io.Serializable;

/** What a refusal is about, as far as the side that refuses knows it. Immutable. */
public sealed interface RefusalSubject extends Serializable {
    /** Nothing that has a name. */
    RefusalSubject NONE = new Unnamed();

    /** A directory that a request gives by a handle, so that a shard knows its id and not its path. */
    enum RequestDirectory {
        /** The one directory of the request. */
        PARENT,
        /** The directory that a rename takes from. */
        SOURCE,
        /** The directory that a rename puts to. */
        DESTINATION
    }

    /** @see RefusalSubject#NONE */
    record Unnamed() implements RefusalSubject {}

    /** A whole path; the message names it. */
    record PathSubject(String path) implements RefusalSubject {}

    /**
     * A name in a directory of the request. The side that made the request knows the path, and makes the message.
     *
     * @param name empty for the directory itself
     */
    record EntrySubject(RequestDirectory directory, String name) implements RefusalSubject {}

    /** A block server: of a chain the one that failed. */
    record ServerSubject(ServerId server) implements RefusalSubject {}
}
