package io.tatami.block.volume;

/** Ends whatever passes a crash point, as a halt of the process would: nothing of ours catches it. */
public final class Halt extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Halt() {
        super("halted at a crash point", null, false, false);
    }
}
