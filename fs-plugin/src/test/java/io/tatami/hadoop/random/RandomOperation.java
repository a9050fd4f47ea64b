package io.tatami.hadoop.random;

import java.io.IOException;

/**
 * Something to do on each of the file systems.
 *
 * @param kind its name in {@link Coverage}
 * @param text with its arguments, for people
 */
record RandomOperation(String kind, Caller caller, String text, Action action) {
    /** What is done, and its answer in words that are the same where the answers are. */
    @FunctionalInterface
    interface Action {
        String on(Subject subject) throws IOException;
    }

    @Override
    public String toString() {
        return caller + ": " + text;
    }
}
