package io.tatami.meta.op.rename;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.wire.EndMovesRequest;
import io.tatami.meta.state.wire.ListMovesRequest;
import io.tatami.meta.state.wire.OpenMove;
import io.tatami.meta.state.wire.TransactionRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EndMovesTest {
    private static final TransactionId MOVE = new TransactionId(256);
    private static final TransactionId OTHER = new TransactionId(512);

    private final FileShard shard = new FileShard();

    @Test
    void recordOfACommittedMoveIsRemovedAtItsDestination() throws Exception {
        put(MOVE, true, true);
        put(OTHER, true, true);
        assertEquals(List.of(MOVE.value(), OTHER.value()), listed(true));
        end();
        assertNull(shard.state().transaction(MOVE));
        assertEquals(List.of(OTHER.value()), listed(true));
    }

    @Test
    void repeatedEndChangesNothing() throws Exception {
        put(MOVE, true, true);
        end();
        MemoryView before = shard.store().copy();
        end();
        assertTrue(shard.store().sameAs(before));
    }

    /** Without its record the source would be told that it was aborted. */
    @Test
    void recordOfAMoveThatHasNotCommittedStays() throws Exception {
        put(MOVE, true, false);
        end();
        assertEquals(List.of(MOVE.value()), listed(true));
    }

    @Test
    void recordOfTheSourceStays() throws Exception {
        put(MOVE, false, true);
        end();
        assertEquals(List.of(MOVE.value()), listed(false));
        assertEquals(List.of(), listed(true));
    }

    private void put(TransactionId move, boolean isDestination, boolean isCommitted) {
        shard.change(state -> state.putTransaction(
                move,
                TransactionRecord.newBuilder()
                        .setDestination(isDestination)
                        .setCommitted(isCommitted)
                        .build()));
    }

    private void end() throws Exception {
        shard.run(
                new EndMoves(),
                EndMovesRequest.newBuilder().addTransactionId(MOVE.value()).build());
    }

    private List<Long> listed(boolean isDestination) throws Exception {
        return shard
                .run(
                        new ListMoves(),
                        ListMovesRequest.newBuilder()
                                .setDestination(isDestination)
                                .build())
                .getMoveList()
                .stream()
                .map(OpenMove::getTransactionId)
                .toList();
    }
}
