package io.tatami.base;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;

/**
 * Errors of the operating system and of RocksDB that reach Java as a text and without a number: the C library's English
 * text of an errno, which the JDK and RocksDB pass on. No other class decides by such a text; failures of our own have
 * codes and details.
 */
public final class SystemErrorText {
    private SystemErrorText() {}

    /** Whether a write failed because its file system or a quota is full: ENOSPC or EDQUOT. */
    static boolean isDiskFull(Exception failure) {
        String text = String.valueOf(failure.getMessage());
        return text.contains("No space left") || text.contains("Disk quota exceeded");
    }

    /** Whether a call is not valid for the file, as direct I/O is not in some file systems: EINVAL. */
    public static boolean isInvalidArgument(Exception failure) {
        return String.valueOf(failure.getMessage()).contains("Invalid argument");
    }

    /**
     * Whether a host refused a connection, as nobody listens at the port: ECONNREFUSED. Netty and the JDK have the same
     * classes of exceptions for connections that cannot be made for other reasons, or in time.
     */
    public static boolean isConnectionRefused(Throwable failure) {
        return String.valueOf(failure.getMessage()).contains("Connection refused");
    }

    /** Why a connection cannot be made, for people. */
    public static String ofConnection(Throwable failure) {
        if (failure instanceof UnknownHostException || failure instanceof UnresolvedAddressException) {
            return "the host's name cannot be resolved";
        }
        if (failure instanceof NoRouteToHostException) {
            return "the host cannot be reached";
        }
        return failure instanceof ConnectException && isConnectionRefused(failure)
                ? "the connection is refused, as no server listens there"
                : Causes.inWords(failure);
    }

    /** Whether RocksDB did not get the lock of a database's directory. */
    public static boolean isDatabaseLocked(Exception failure) {
        return String.valueOf(failure.getMessage()).contains("lock");
    }
}
