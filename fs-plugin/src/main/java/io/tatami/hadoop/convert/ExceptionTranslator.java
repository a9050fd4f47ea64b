package io.tatami.hadoop.convert;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.model.UnresolvedLinkException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.function.Function;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.InvalidPathException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.security.AccessControlException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the failures of Tatami's client into the exceptions that HDFS throws for the same thing, which is what programs
 * written for Hadoop catch. Those of them that live in HDFS's own client jar are made only where that jar is there;
 * elsewhere their common ancestor is thrown, an IOException with the same message.
 */
public final class ExceptionTranslator {
    private static final String HDFS_PROTOCOL = "org.apache.hadoop.hdfs.protocol.";

    private static final Function<String, IOException> ALREADY_BEING_CREATED =
            ifPresent(HDFS_PROTOCOL + "AlreadyBeingCreatedException");
    private static final Function<String, IOException> RECOVERY_IN_PROGRESS =
            ifPresent(HDFS_PROTOCOL + "RecoveryInProgressException");
    private static final Function<String, IOException> INVALID_ACL = ifPresent(HDFS_PROTOCOL + "AclException");
    private static final Function<String, IOException> NO_XATTR = ifPresent(HDFS_PROTOCOL + "XAttrNotFoundException");
    private static final Function<String, IOException> SAFE_MODE =
            ifPresent("org.apache.hadoop.hdfs.server.namenode.SafeModeException");
    private static final Function<String, IOException> QUOTA_EXCEEDED =
            ifPresent(HDFS_PROTOCOL + "QuotaExceededException");

    private static final Logger LOG = LoggerFactory.getLogger(ExceptionTranslator.class);

    private ExceptionTranslator() {}

    /**
     * The exception to throw for {@code failure}, of an operation on something that is to be there; the failure is its
     * cause unless it is an answer. Anything but a TatamiException stays itself; a program never sees a TatamiException
     * but as a cause.
     */
    public static IOException translate(IOException failure) {
        return failure instanceof TatamiException tatami ? caused(ofCode(tatami), tatami) : failure;
    }

    /** The same of an operation that makes something, or opens it for writing. */
    public static IOException translateMaking(IOException failure) {
        if (!(failure instanceof TatamiException tatami)) {
            return failure;
        }
        String message = tatami.getMessage();
        return switch (tatami.code()) {
            case IS_A_DIRECTORY -> caused(new FileAlreadyExistsException(message), tatami);
            case NOT_A_DIRECTORY -> caused(new ParentNotDirectoryException(message), tatami);
            default -> translate(tatami);
        };
    }

    /** The same of an operation that only asks what a path stands for: below a file there is nothing. */
    public static IOException translateStatus(IOException failure) {
        if (!(failure instanceof TatamiException tatami)) {
            return failure;
        }
        return switch (tatami.code()) {
            case NOT_A_DIRECTORY -> caused(new FileNotFoundException(tatami.getMessage()), tatami);
            default -> translate(tatami);
        };
    }

    /** The same of a change of an access control list, where what is invalid is the list. */
    public static IOException translateAcl(IOException failure, Path path) {
        if (!(failure instanceof TatamiException tatami)) {
            return failure;
        }
        return switch (tatami.code()) {
            case INVALID_ARGUMENT ->
                caused(
                        INVALID_ACL.apply(
                                tatami.getMessage() + " Path: " + path.toUri().getPath()),
                        tatami);
            default -> translate(tatami);
        };
    }

    /** Where an extended attribute is asked for that is not there. */
    public static IOException noSuchXAttr(String message) {
        return NO_XATTR.apply(message);
    }

    private static IOException caused(IOException translated, TatamiException cause) {
        if (isAnswer(cause.code())) {
            return answered(translated, cause);
        }
        if (translated != cause && translated.getCause() == null) {
            translated.initCause(cause);
        }
        return translated;
    }

    /**
     * An answer of the cluster, which says all in its message: how it came over the wire explains nothing to a user, so
     * it is told at debug level and is no cause.
     */
    public static <T extends IOException> T answered(T told, TatamiException answer) {
        LOG.debug("{} is an answer of the cluster", told, answer);
        return told;
    }

    private static boolean isAnswer(ErrorCode code) {
        return switch (code) {
            case NOT_FOUND,
                    IS_A_DIRECTORY,
                    NOT_A_DIRECTORY,
                    ALREADY_EXISTS,
                    NOT_EMPTY,
                    PERMISSION_DENIED,
                    UNRESOLVED_LINK,
                    LEASE_HELD,
                    LEASE_EXPIRED,
                    RECOVERY_IN_PROGRESS,
                    SAFE_MODE,
                    QUOTA_EXCEEDED -> true;
            default -> false;
        };
    }

    private static IOException ofCode(TatamiException failure) {
        String message = failure.getMessage();
        return switch (failure.code()) {
            case NOT_FOUND, IS_A_DIRECTORY, LEASE_EXPIRED -> new FileNotFoundException(message);
            case ALREADY_EXISTS -> new FileAlreadyExistsException(message);
            // HDFS checks that every ancestor may be searched, and a file may not.
            case NOT_A_DIRECTORY, PERMISSION_DENIED, UNAUTHENTICATED -> new AccessControlException(message);
            case NOT_EMPTY -> new PathIsNotEmptyDirectoryException(message);
            case UNRESOLVED_LINK -> unresolved(failure);
            case LEASE_HELD -> ALREADY_BEING_CREATED.apply(message);
            case RECOVERY_IN_PROGRESS -> RECOVERY_IN_PROGRESS.apply(message);
            case SAFE_MODE -> SAFE_MODE.apply(message);
            case QUOTA_EXCEEDED -> QUOTA_EXCEEDED.apply(message);
            case CORRUPT -> new ChecksumException(message, 0);
            case CANCELLED ->
                Thread.currentThread().isInterrupted()
                        ? new InterruptedIOException(message)
                        : new IOException("Filesystem closed");
            case INVALID_ARGUMENT,
                    INTERNAL,
                    FENCED,
                    STALE_HANDLE,
                    NOT_LEADER,
                    STALE_SHARD_MAP,
                    BUSY,
                    UNAVAILABLE,
                    DEADLINE_EXCEEDED,
                    NO_SPACE,
                    FORMAT_TOO_OLD,
                    FORMAT_TOO_NEW,
                    PROTOCOL_VERSION,
                    WRONG_CLUSTER,
                    MALFORMED,
                    UNSUPPORTED,
                    IO_ERROR,
                    NO_SUCH_BLOCK,
                    REPLY_EVICTED,
                    NO_SUCH_SESSION,
                    PATH_TOO_LONG,
                    IN_USE -> new IOException(message);
        };
    }

    private static IOException unresolved(TatamiException failure) {
        String message = failure instanceof UnresolvedLinkException link ? link.target() : failure.getMessage();
        return new org.apache.hadoop.fs.UnresolvedLinkException(message);
    }

    /** For paths that Hadoop's Path allows and Tatami cannot have. */
    static InvalidPathException invalidPath(String path, TatamiException failure) {
        InvalidPathException invalid = new InvalidPathException(path, failure.getMessage());
        invalid.initCause(failure);
        return invalid;
    }

    private static Function<String, IOException> ifPresent(String className) {
        try {
            var constructor = Class.forName(className, false, ExceptionTranslator.class.getClassLoader())
                    .asSubclass(IOException.class)
                    .getConstructor(String.class);
            return message -> {
                try {
                    return constructor.newInstance(message);
                } catch (ReflectiveOperationException e) {
                    IOException plain = new IOException(message);
                    plain.addSuppressed(e);
                    return plain;
                }
            };
        } catch (ReflectiveOperationException e) {
            return IOException::new;
        }
    }
}
