package io.tatami.meta.service.move;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.Arrival;
import io.tatami.meta.state.wire.ArriveEntriesRequest;
import io.tatami.meta.state.wire.CommitMoveRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.GiveEntriesReply;
import io.tatami.protocol.wire.GiveEntriesRequest;
import io.tatami.protocol.wire.MoveStatusReply;
import io.tatami.protocol.wire.MoveStatusRequest;
import io.tatami.protocol.wire.PrepareMoveReply;
import io.tatami.protocol.wire.PrepareMoveRequest;

/** The steps of a rename with one of them exchanged. */
final class PlantedMoves {
    private PlantedMoves() {}

    static MoveOperations withCommit(MoveOperations real, Operation<ShardState, CommitMoveRequest, Empty> commit) {
        return with(real, real.prepare(), commit, real.status());
    }

    static MoveOperations withPrepare(
            MoveOperations real, Operation<ShardState, PrepareMoveRequest, PrepareMoveReply> prepare) {
        return with(real, prepare, real.commit(), real.status());
    }

    static MoveOperations withStatus(
            MoveOperations real, Operation<ShardState, MoveStatusRequest, MoveStatusReply> status) {
        return with(real, real.prepare(), real.commit(), status);
    }

    static MoveOperations withHandOver(
            MoveOperations real,
            Operation<ShardState, GiveEntriesRequest, GiveEntriesReply> give,
            Operation<ShardState, ArriveEntriesRequest, Arrival> arrive) {
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
                arrive);
    }

    private static MoveOperations with(
            MoveOperations real,
            Operation<ShardState, PrepareMoveRequest, PrepareMoveReply> prepare,
            Operation<ShardState, CommitMoveRequest, Empty> commit,
            Operation<ShardState, MoveStatusRequest, MoveStatusReply> status) {
        return new MoveOperations(
                real.rename(),
                real.begin(),
                prepare,
                commit,
                real.abort(),
                real.finish(),
                real.end(),
                status,
                real.list(),
                real.give(),
                real.arrive());
    }
}
