package io.tatami.server.cli.option;

/** A command whose words are paths, so that the path in a URI among its words is one of them. */
public interface OnPaths {
    /** Whether a word that begins with no slash may be something else than the cluster. */
    default boolean takesOtherWords() {
        return false;
    }
}
