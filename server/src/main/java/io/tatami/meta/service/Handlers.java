package io.tatami.meta.service;

import io.tatami.base.TatamiException;

/** One part of a kind of group: registers what it serves. {@link NamespaceParts} and {@link ShardParts} list them. */
@FunctionalInterface
public interface Handlers<S> {
    /** @throws TatamiException INVALID_ARGUMENT for a bad setting */
    void register(GroupTable<S> table, GroupParts<S> parts) throws TatamiException;
}
