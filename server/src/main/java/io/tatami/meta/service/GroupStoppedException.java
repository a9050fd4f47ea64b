package io.tatami.meta.service;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;

/**
 * A group decides and answers nothing any more until it is opened again: a commit failed, or its term ended. Whether a
 * change that failed with this was made is not known, so whatever waits for its end must go on waiting.
 */
public final class GroupStoppedException extends TatamiException {
    private static final long serialVersionUID = 1L;

    private final int group;

    public GroupStoppedException(GroupId group, String message, Throwable cause) {
        super(ErrorCode.UNAVAILABLE, message, cause);
        this.group = group.value();
    }

    public GroupStoppedException(GroupId group, String message) {
        super(ErrorCode.UNAVAILABLE, message);
        this.group = group.value();
    }

    /** Whether it was this group that stopped, and not another one that it asked. */
    public boolean isOf(GroupId asked) {
        return asked.value() == group;
    }
}
