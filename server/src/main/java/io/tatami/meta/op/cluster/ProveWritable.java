package io.tatami.meta.op.cluster;

import io.tatami.base.Check;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.protocol.wire.Empty;
import java.util.Objects;

/** Writes a record as it is: done only where the group's disk still takes writes, and without an effect otherwise. */
public final class ProveWritable implements Operation<Draft, Empty, Empty> {
    private static final byte[] KEY = Keys.singleton("group");

    @Override
    public Empty decide(Draft state, RequestContext context, Empty request) {
        byte[] value = state.get(KEY);
        Check.check(value != null, "the group is not formatted");
        state.put(KEY, Objects.requireNonNull(value));
        return Empty.getDefaultInstance();
    }
}
