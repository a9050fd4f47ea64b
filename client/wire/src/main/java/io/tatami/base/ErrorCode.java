package io.tatami.base;

import java.io.IOException;

/**
 * Every way a request can fail, as it travels on the wire. The numbers are part of the protocol: they are never reused
 * and never change. The Hadoop plug-in turns each into the exception HDFS throws for it.
 */
public enum ErrorCode {
    /** A bug in Tatami; the message holds what is known of it. */
    INTERNAL(1, false),
    /** A path, name or argument that no file system state could make valid. */
    INVALID_ARGUMENT(2, false),
    NOT_FOUND(3, false),
    ALREADY_EXISTS(4, false),
    /** A component used as a directory is a file, or a directory was required. */
    NOT_A_DIRECTORY(5, false),
    /** A file was required and the path is a directory. */
    IS_A_DIRECTORY(6, false),
    NOT_EMPTY(7, false),
    PERMISSION_DENIED(8, false),
    /** The path leads through a symlink; the detail is where that leads. */
    UNRESOLVED_LINK(9, false),
    /** Somebody else writes the file. */
    LEASE_HELD(10, false),
    /** The caller's lease is gone: the file was recovered, deleted or taken over. */
    LEASE_EXPIRED(11, false),
    /** Recovery of the file's last block is under way; ask again. */
    RECOVERY_IN_PROGRESS(12, true),
    /** A newer generation of the block or a recovery fenced the caller off. */
    FENCED(13, false),
    /** The handle is older than a change of one of its directories: resolve the path again. */
    STALE_HANDLE(14, true),
    /** This server does not lead the group asked for; the detail is the server that does, if known. */
    NOT_LEADER(15, true),
    /** The shard map the caller used is older than the cluster's. */
    STALE_SHARD_MAP(16, true),
    /** Another operation on the same entry is under way; ask again. */
    BUSY(17, true),
    /** The service cannot serve now (starting, stopping, no quorum); ask again. */
    UNAVAILABLE(18, true),
    DEADLINE_EXCEEDED(19, true),
    CANCELLED(20, false),
    NO_SPACE(21, false),
    QUOTA_EXCEEDED(22, false),
    /** The name space is in safe mode: nothing may change. */
    SAFE_MODE(23, false),
    /** Bytes failed their checksum on every copy asked. */
    CORRUPT(24, false),
    /** A format older than this release reads. */
    FORMAT_TOO_OLD(25, false),
    /** A format or protocol newer than this release knows. */
    FORMAT_TOO_NEW(26, false),
    /** The two sides share no protocol version. */
    PROTOCOL_VERSION(27, false),
    /** The peer belongs to another cluster. */
    WRONG_CLUSTER(28, false),
    /** A frame or message that breaks the protocol. */
    MALFORMED(29, false),
    UNSUPPORTED(30, false),
    /** A device answered a read, write or flush with an error, and its volume stopped. */
    IO_ERROR(31, false),
    /** The block is not on this server. */
    NO_SUCH_BLOCK(32, false),
    /** The request's reply was evicted and it may have been executed; it is refused rather than done twice. */
    REPLY_EVICTED(33, false),
    /** The session of the request is unknown or was closed. */
    NO_SUCH_SESSION(34, true),
    /** Too many symlinks, or a name or path too long. */
    PATH_TOO_LONG(35, false),
    /** The user could not be authenticated. */
    UNAUTHENTICATED(36, false),
    /** A resource is taken: a directory, device or port is in use by another process. */
    IN_USE(37, false);

    private static final ErrorCode[] BY_NUMBER = new ErrorCode[64];

    static {
        for (ErrorCode code : values()) {
            BY_NUMBER[code.number] = code;
        }
    }

    private final int number;
    private final boolean retryable;

    ErrorCode(int number, boolean retryable) {
        this.number = number;
        this.retryable = retryable;
    }

    /** The number on the wire. */
    public int number() {
        return number;
    }

    /** Whether the same request may succeed when it is sent again later or elsewhere. */
    public boolean isRetryable() {
        return retryable;
    }

    /** NO_SPACE where a write failed because its file system or a quota is full, else IO_ERROR. */
    public static ErrorCode ofDisk(IOException failure) {
        return SystemErrorText.isDiskFull(failure) ? NO_SPACE : IO_ERROR;
    }

    /** The code of a number from the wire; {@link #INTERNAL} where a newer peer uses one that is not known here. */
    public static ErrorCode ofNumber(int number) {
        if (number < 0 || number >= BY_NUMBER.length || BY_NUMBER[number] == null) {
            return INTERNAL;
        }
        return BY_NUMBER[number];
    }
}
