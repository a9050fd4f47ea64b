package io.tatami.meta.op.widen;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.Arrival;
import io.tatami.meta.state.wire.ArrivalRequest;

/** How far a part of a directory has arrived here. Changes nothing. */
public final class ReadArrival implements Operation<ShardState, ArrivalRequest, Arrival> {
    @Override
    public Arrival decide(ShardState state, RequestContext context, ArrivalRequest request) {
        return Arrivals.arrival(state, new DirectoryId(request.getDirectoryId()), request.getSpread());
    }
}
