package io.tatami.meta.op.widen;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.Arrival;
import io.tatami.meta.state.wire.ArrivalRequest;

/**
 * At the shard that got a part of a directory: all has arrived, and the one that had it has dropped it. The part is
 * looked at now whether it is large still, as there may be no more changes that would have it looked at.
 */
public final class EndArrival implements Operation<ShardState, ArrivalRequest, Arrival> {
    @Override
    public Arrival decide(ShardState state, RequestContext context, ArrivalRequest request) {
        DirectoryId directory = new DirectoryId(request.getDirectoryId());
        Arrival arrival = Arrivals.arrival(state, directory, request.getSpread());
        if (arrival.getSpread() != request.getSpread() || !arrival.getComplete() || arrival.getEnded()) {
            return arrival;
        }
        Arrivals.noteWidened(state, directory, request.getSpread());
        return ArriveEntries.record(
                state,
                directory,
                Arrival.newBuilder()
                        .setSpread(request.getSpread())
                        .setComplete(true)
                        .setEnded(true)
                        .build());
    }
}
