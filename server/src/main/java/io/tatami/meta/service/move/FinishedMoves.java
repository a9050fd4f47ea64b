package io.tatami.meta.service.move;

import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.wire.EndMovesRequest;
import java.util.ArrayDeque;

/**
 * Moves to this shard that are committed, and finished at their sources: nobody asks about them any more, and their
 * records go with the commit of another move, or when a sweep comes by. Those that a crash forgets the sweep finds, and
 * finishes once more. Safe for use by many threads, which hold its lock only briefly.
 */
final class FinishedMoves {
    /** At which the records go without waiting for another move. */
    static final int ENOUGH = 64;

    private final ArrayDeque<TransactionId> moves = new ArrayDeque<>();

    /** Returns whether there are enough to be ended by themselves. */
    synchronized boolean add(TransactionId move) {
        moves.add(move);
        return moves.size() >= ENOUGH;
    }

    /** At most {@value #ENOUGH}, the oldest; the caller ends them, or gives them back. */
    synchronized EndMovesRequest take() {
        EndMovesRequest.Builder taken = EndMovesRequest.newBuilder();
        while (!moves.isEmpty() && taken.getTransactionIdCount() < ENOUGH) {
            taken.addTransactionId(moves.remove().value());
        }
        return taken.build();
    }

    /** Of those that were taken it is not known whether they ended; to end one twice has no effect. */
    synchronized void giveBack(EndMovesRequest taken) {
        taken.getTransactionIdList().forEach(id -> moves.add(new TransactionId(id)));
    }
}
