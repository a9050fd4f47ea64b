package io.tatami.meta.op.tree;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;

/** The tree changed between a flow's plan and its commit: nothing was committed, and a new plan may fare better. */
public final class PlanOutdatedException extends TatamiException {
    private static final long serialVersionUID = 1L;

    /** @param path whose way through the tree is another now */
    public PlanOutdatedException(String path) {
        super(ErrorCode.BUSY, "the way to " + path + " changed meanwhile");
    }
}
