package io.tatami.base;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A failure the world caused: bad input, a missing file, a full disk, a silent peer. Never a bug of ours. Code, subject
 * and detail are for programs; the message is for people, and nothing is decided by it.
 */
public class TatamiException extends IOException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final RefusalSubject subject;
    private final Detail detail;

    public TatamiException(ErrorCode code, String message) {
        this(code, message, RefusalSubject.NONE, Detail.NONE, null);
    }

    public TatamiException(ErrorCode code, String message, @Nullable Throwable cause) {
        this(code, message, RefusalSubject.NONE, Detail.NONE, cause);
    }

    public TatamiException(ErrorCode code, String message, Detail detail) {
        this(code, message, RefusalSubject.NONE, detail, null);
    }

    public TatamiException(
            ErrorCode code, String message, RefusalSubject subject, Detail detail, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.subject = subject;
        this.detail = detail;
    }

    public ErrorCode code() {
        return code;
    }

    /** What was refused; {@link RefusalSubject#NONE} where that has no name. */
    public RefusalSubject subject() {
        return subject;
    }

    /** {@link Detail#NONE} where the code says all. */
    public Detail detail() {
        return detail;
    }

    /**
     * The same failure for a caller that another thread told of it: with this thread's stack, and this one as its
     * cause.
     */
    public TatamiException again() {
        return retold(String.valueOf(getMessage()));
    }

    /** The same failure with another message; this one is its cause. */
    public TatamiException retold(String message) {
        return new TatamiException(code, message, subject, detail, this);
    }

    /** The same failure with another message, now known to be about {@code about}; this one is its cause. */
    public TatamiException retold(String message, RefusalSubject about) {
        return new TatamiException(code, message, about, detail, this);
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + code + "]: " + getMessage();
    }
}
