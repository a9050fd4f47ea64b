package io.tatami.meta.state;

/**
 * A view for who may not wait cannot tell. Nothing is wrong: another view, on a thread that may wait, knows. Has no
 * stack trace, as it is thrown often.
 */
public final class ReadMustWaitException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean cold;

    /** @param cold the disk would have to be asked; else it is a walk, or others changed the state meanwhile */
    public ReadMustWaitException(boolean cold) {
        super("a read must wait", null, false, false);
        this.cold = cold;
    }

    public boolean isCold() {
        return cold;
    }
}
