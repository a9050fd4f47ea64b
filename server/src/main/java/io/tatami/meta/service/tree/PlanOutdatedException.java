package io.tatami.meta.service.tree;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;

/** The tree changed between a flow's plan and its commit: nothing was committed, and a new plan may fare better. */
final class PlanOutdatedException extends TatamiException {
    private static final long serialVersionUID = 1L;

    PlanOutdatedException(TatamiException cause) {
        super(ErrorCode.BUSY, String.valueOf(cause.getMessage()), cause);
    }

    PlanOutdatedException() {
        super(ErrorCode.BUSY, "the tree changed while the request waited for another");
    }
}
