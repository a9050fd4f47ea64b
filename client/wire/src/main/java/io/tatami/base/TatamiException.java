package io.tatami.base;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A failure the world caused: bad input, a missing file, a full disk, a silent peer. Never a bug of ours. */
public class TatamiException extends IOException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final String detail;

    public TatamiException(ErrorCode code, String message) {
        this(code, message, "", null);
    }

    public TatamiException(ErrorCode code, String message, @Nullable Throwable cause) {
        this(code, message, "", cause);
    }

    /**
     * @param detail machine-readable addition whose meaning the code gives, empty for none; for instance the address of
     *     the leader with {@link ErrorCode#NOT_LEADER}
     */
    public TatamiException(ErrorCode code, String message, String detail, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.detail = detail;
    }

    public ErrorCode code() {
        return code;
    }

    public String detail() {
        return detail;
    }

    /**
     * The same failure for who was told of it by another thread: with this thread's stack, and this one as its cause.
     */
    public TatamiException again() {
        return new TatamiException(code, String.valueOf(getMessage()), detail, this);
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + code + "]: " + getMessage();
    }
}
