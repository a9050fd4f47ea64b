package io.tatami.meta.service.host;

import io.tatami.base.TatamiException;
import io.tatami.meta.service.Handlers;
import io.tatami.meta.state.Draft;
import java.util.function.Function;

/** A group whose term begins, to which its parts are added. */
interface Opening {
    /**
     * Adds a part.
     *
     * @param state how the part sees the group's records; several types of state may lie over the same ones
     */
    <S> void add(Function<Draft, S> state, Handlers<S> handlers) throws TatamiException;
}
