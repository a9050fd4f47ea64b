package io.tatami.meta.op.widen;

import io.tatami.base.Check;
import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Entries;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.Arrival;
import io.tatami.meta.state.wire.ArriveEntryRequest;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.GiveEntriesReply;

/**
 * At the shard that gets a part of a directory: takes what has one name, which somebody waits for, ahead of its turn,
 * or notes that nothing has it. From this batch on the name is this shard's alone; that the other shard has a copy
 * until its turn has come is remembered by a record of the name. Without effect where the name has arrived since it was
 * asked for.
 */
public final class ArriveEntry implements Operation<ShardState, ArriveEntryRequest, Arrival> {
    @Override
    public Arrival decide(ShardState state, RequestContext context, ArriveEntryRequest request) {
        DirectoryId directory = new DirectoryId(request.getDirectoryId());
        Arrival arrival = Arrivals.arrival(state, directory, request.getSpread());
        if (arrival.getSpread() != request.getSpread()
                || Arrivals.hasArrived(state, directory, arrival, request.getName())) {
            return arrival;
        }
        DirectorySliceRecord fetched = arrival.getFetched();
        for (GiveEntriesReply.Entry given : request.getGiven().getEntryList()) {
            Check.check(
                    given.getName().equals(request.getName()),
                    "%s/%s was given to this shard, which asked for %s",
                    directory,
                    given.getName(),
                    request.getName());
            EntryRecord entry = ArriveEntries.parsed(given);
            fetched = Entries.sumsWith(fetched, entry, 1);
            ArriveEntries.put(state, directory, given.getName(), entry);
        }
        state.putFetched(directory, request.getName());
        return ArriveEntries.record(
                state, directory, arrival.toBuilder().setFetched(fetched).build());
    }
}
