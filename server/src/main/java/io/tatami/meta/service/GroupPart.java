package io.tatami.meta.service;

import io.tatami.base.TatamiException;

/**
 * One part of a kind of group: registers what it serves. Those of a process are listed in
 * {@code io.tatami.meta.service.host}.
 */
@FunctionalInterface
public interface GroupPart<S> {
    /** @throws TatamiException INVALID_ARGUMENT for a bad setting */
    void register(GroupTable<S> table, PartContext<S> parts) throws TatamiException;
}
