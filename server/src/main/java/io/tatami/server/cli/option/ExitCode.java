package io.tatami.server.cli.option;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.EnumSet;
import java.util.Set;

/** How a command ends, as {@code bin/tatami} documents it. */
public final class ExitCode {
    public static final int DONE = 0;
    /** The command ran and found or met a failure. */
    public static final int FAILED = 1;
    /** The command line or the surroundings are wrong: nothing was begun. */
    public static final int USAGE = 2;
    /** A server ended by itself: no group is served any more. */
    public static final int STOPPED = 3;

    /** What somebody has to mend before the same command can do any better. */
    private static final Set<ErrorCode> SURROUNDINGS = EnumSet.of(
            ErrorCode.INVALID_ARGUMENT,
            ErrorCode.ALREADY_EXISTS,
            ErrorCode.IN_USE,
            ErrorCode.UNSUPPORTED,
            ErrorCode.NO_SPACE,
            ErrorCode.WRONG_CLUSTER,
            ErrorCode.PROTOCOL_VERSION,
            ErrorCode.FORMAT_TOO_OLD,
            ErrorCode.FORMAT_TOO_NEW);

    private ExitCode() {}

    public static int of(TatamiException failure) {
        return SURROUNDINGS.contains(failure.code()) ? USAGE : FAILED;
    }
}
