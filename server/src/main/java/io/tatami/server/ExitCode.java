package io.tatami.server;

/** How a command ends, as {@code bin/tatami} documents it. */
final class ExitCode {
    static final int DONE = 0;
    /** The command ran and found or met a failure. */
    static final int FAILED = 1;
    /** The command line or the surroundings are wrong: nothing was begun. */
    static final int USAGE = 2;

    private ExitCode() {}
}
