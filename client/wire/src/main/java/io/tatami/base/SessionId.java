package io.tatami.base;

/**
 * A client's session, given by the namespace group and never reused; 0 stands for none. Requests are numbered in it.
 */
public record SessionId(long value) {
    public static final SessionId NONE = new SessionId(0);

    public SessionId {
        Check.check(value >= 0, "session id %d is negative", value);
    }

    @Override
    public String toString() {
        return "c" + value;
    }
}
