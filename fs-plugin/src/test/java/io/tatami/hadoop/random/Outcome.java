package io.tatami.hadoop.random;

import io.tatami.hadoop.HdfsExceptions;
import java.io.IOException;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;

/**
 * What came of an operation.
 *
 * @param result the answer; empty where something was thrown
 * @param thrown what it can be caught as; null where nothing was
 * @param reason of a refusal of access: the part of the message that tells who needs what
 * @param message all of it, which is not compared
 */
record Outcome(String result, @Nullable Class<?> thrown, String reason, String message) {
    static final String DONE = "done";

    /** Done as whoever the thread acts for. */
    static Outcome of(RandomOperation operation, Subject subject) {
        try {
            return new Outcome(operation.action().on(subject), null, "", "");
        } catch (IOException | RuntimeException e) {
            // HDFS's client puts the server's stack below the message.
            String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            return new Outcome("", HdfsExceptions.caughtAs(e), reason(e, message), message);
        }
    }

    private static String reason(Exception failure, String message) {
        if (!(failure instanceof AccessControlException)) {
            return "";
        }
        if (message.contains("by sticky bit")) {
            return "sticky";
        }
        if (message.contains("is not the owner of inode")) {
            return "owner";
        }
        int start = message.indexOf("Permission denied: user=");
        int end = message.indexOf(", inode=");
        return start < 0 || end < start ? "" : message.substring(start, end);
    }

    /** Whether a program that is right with {@code other} is right with this; it may throw something more special. */
    boolean isAsGoodAs(Outcome other) {
        Class<?> failure = thrown;
        Class<?> otherFailure = other.thrown;
        if (failure == null || otherFailure == null) {
            return failure == otherFailure && result.equals(other.result);
        }
        return otherFailure.isAssignableFrom(failure) && reason.equals(other.reason);
    }

    boolean isSuccess() {
        return thrown == null && !result.equals("false");
    }

    /** Its name in {@link Coverage}. */
    String kind() {
        Class<?> failure = thrown;
        return failure == null ? (isSuccess() ? DONE : "false") : failure.getSimpleName();
    }

    @Override
    public String toString() {
        return thrown == null ? result : thrown.getName() + ": " + message;
    }
}
