package io.tatami.meta.log.flush;

/** How the files of a snapshot that has come become durable; either way before anything counts on one of them. */
public enum FlushMode {
    /** All by one flush of the file system they lie on, where the system has that. */
    ONCE,
    /** Each by a flush of its own. */
    EACH
}
