package io.tatami.meta.service.lead;

import io.tatami.base.TatamiException;
import io.tatami.meta.service.GroupFigures;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.state.Draft;
import java.util.function.Function;

/** A group whose term begins, to which its parts are added. */
public interface PartRegistry {
    /**
     * Adds a part.
     *
     * @param state how the part sees the group's records; several types of state may lie over the same ones
     */
    <S> void add(Function<Draft, S> state, GroupPart<S> handlers) throws TatamiException;

    /** Of this group during the term. */
    GroupFigures figures();
}
