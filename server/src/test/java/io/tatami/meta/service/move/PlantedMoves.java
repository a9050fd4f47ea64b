package io.tatami.meta.service.move;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.Arrival;
import io.tatami.meta.state.wire.ArriveEntriesRequest;
import io.tatami.meta.state.wire.ArriveEntryRequest;
import io.tatami.protocol.wire.GiveEntriesReply;
import io.tatami.protocol.wire.GiveEntriesRequest;

/** A shard's steps with those of the hand-over exchanged. */
final class PlantedMoves {
    private PlantedMoves() {}

    static MoveOperations withHandOver(
            MoveOperations real,
            Operation<ShardState, GiveEntriesRequest, GiveEntriesReply> give,
            Operation<ShardState, ArriveEntriesRequest, Arrival> arrive) {
        return withHandOver(real, give, arrive, real.arriveOne());
    }

    static MoveOperations withHandOver(
            MoveOperations real,
            Operation<ShardState, GiveEntriesRequest, GiveEntriesReply> give,
            Operation<ShardState, ArriveEntriesRequest, Arrival> arrive,
            Operation<ShardState, ArriveEntryRequest, Arrival> arriveOne) {
        return new MoveOperations(
                real.rename(),
                real.begin(),
                real.prepare(),
                real.commit(),
                real.abort(),
                real.finish(),
                real.end(),
                real.status(),
                real.list(),
                give,
                arrive,
                arriveOne);
    }
}
