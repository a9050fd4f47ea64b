package io.tatami.meta.service.move;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.move.AbortMove;
import io.tatami.meta.op.move.ArriveEntries;
import io.tatami.meta.op.move.ArriveEntry;
import io.tatami.meta.op.move.BeginMove;
import io.tatami.meta.op.move.CommitMove;
import io.tatami.meta.op.move.EndMove;
import io.tatami.meta.op.move.FinishMove;
import io.tatami.meta.op.move.GiveEntries;
import io.tatami.meta.op.move.ListMoves;
import io.tatami.meta.op.move.MoveStatus;
import io.tatami.meta.op.move.PrepareMove;
import io.tatami.meta.op.move.RenameFile;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.Arrival;
import io.tatami.meta.state.wire.ArriveEntriesRequest;
import io.tatami.meta.state.wire.ArriveEntryRequest;
import io.tatami.meta.state.wire.BeginMoveReply;
import io.tatami.meta.state.wire.CommitMoveRequest;
import io.tatami.meta.state.wire.ListMovesReply;
import io.tatami.meta.state.wire.ListMovesRequest;
import io.tatami.meta.state.wire.MoveStep;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.FinishMoveRequest;
import io.tatami.protocol.wire.GiveEntriesReply;
import io.tatami.protocol.wire.GiveEntriesRequest;
import io.tatami.protocol.wire.MoveStatusReply;
import io.tatami.protocol.wire.MoveStatusRequest;
import io.tatami.protocol.wire.PrepareMoveReply;
import io.tatami.protocol.wire.PrepareMoveRequest;
import io.tatami.protocol.wire.RenameFileRequest;

/**
 * The steps of renames, and of entries that move because a directory is widened: what their flows submit. Given from
 * outside so that a test can put a wrong one in.
 */
record MoveOperations(
        Operation<ShardState, RenameFileRequest, Empty> rename,
        Operation<ShardState, RenameFileRequest, BeginMoveReply> begin,
        Operation<ShardState, PrepareMoveRequest, PrepareMoveReply> prepare,
        Operation<ShardState, CommitMoveRequest, Empty> commit,
        Operation<ShardState, MoveStep, MoveStatusReply> abort,
        Operation<ShardState, FinishMoveRequest, Empty> finish,
        Operation<ShardState, MoveStep, Empty> end,
        Operation<ShardState, MoveStatusRequest, MoveStatusReply> status,
        Operation<ShardState, ListMovesRequest, ListMovesReply> list,
        Operation<ShardState, GiveEntriesRequest, GiveEntriesReply> give,
        Operation<ShardState, ArriveEntriesRequest, Arrival> arrive,
        Operation<ShardState, ArriveEntryRequest, Arrival> arriveOne) {

    static MoveOperations of(HandleCheck handles) {
        return new MoveOperations(
                new RenameFile(handles),
                new BeginMove(handles),
                new PrepareMove(handles),
                new CommitMove(handles),
                new AbortMove(),
                new FinishMove(),
                new EndMove(),
                new MoveStatus(),
                new ListMoves(),
                new GiveEntries(),
                new ArriveEntries(),
                new ArriveEntry());
    }

    /** What a client is told where the tree has to do the rename. */
    TatamiException sourceIsDirectory(String name) {
        return new TatamiException(ErrorCode.IS_A_DIRECTORY, name + " is a directory", "source", null);
    }
}
