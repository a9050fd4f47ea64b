package io.tatami.meta.service.move;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Shares;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.CommitMoveRequest;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.TransactionRecord;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.FinishMoveRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.MoveStatusReply;
import io.tatami.protocol.wire.PrepareMoveReply;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class MoveSimulationTest {
    private static final int SEEDS = 200;
    private static final int PLANTED_SEEDS_MAX = 2_000;
    private static final int SEEDS_SOAK = 100_000;

    @Test
    void renamesLoseAndDoubleNothingWhateverCrashesAndGetsLost() {
        run(Long.getLong("tatami.seed", 1), SEEDS);
    }

    @Test
    @Tag("soak")
    void renamesLoseAndDoubleNothingOverManySeeds() {
        run(Long.getLong("tatami.seed", 1_000_000), SEEDS_SOAK);
    }

    @Test
    @Tag("simulated-bug")
    void commitWithoutItsPendingRecordIsNoticed() {
        assertNoticed(real -> PlantedMoves.withCommit(real, (state, context, request) -> {
            if (state.transaction(request.getTransactionId()) == null) {
                begin(state, request);
            }
            return real.commit().decide(state, context, request);
        }));
    }

    @Test
    @Tag("simulated-bug")
    void entryThatGoesBeforeTheCommitIsNoticed() {
        assertNoticed(real -> PlantedMoves.withPrepare(real, (state, context, request) -> {
            PrepareMoveReply reply = real.prepare().decide(state, context, request);
            TransactionRecord move = state.transaction(request.getTransactionId());
            if (move != null && reply.getMark() != 0) {
                real.finish()
                        .decide(
                                state,
                                context,
                                FinishMoveRequest.newBuilder()
                                        .setTransactionId(request.getTransactionId())
                                        .setCommitted(true)
                                        .setParentId(move.getSourceParentId())
                                        .setName(move.getSourceName())
                                        .setMark(reply.getMark())
                                        .build());
            }
            return reply;
        }));
    }

    @Test
    @Tag("simulated-bug")
    void commitThatTrustsTheFirstCheckOfTheHandlesIsNoticed() {
        assertNoticed(real -> PlantedMoves.withCommit(real, (state, context, request) -> {
            long newest = state.gateNewest();
            state.putGateNewest(0);
            Empty reply = real.commit().decide(state, context, request);
            state.putGateNewest(newest);
            return reply;
        }));
    }

    @Test
    @Tag("simulated-bug")
    void sourceThatTakesAnUnansweredMoveForAbortedIsNoticed() {
        assertNoticed(real ->
                PlantedMoves.withStatus(real, (state, context, request) -> MoveStatusReply.getDefaultInstance()));
    }

    private static void run(long first, int seeds) {
        for (long seed = first; seed < first + seeds; seed++) {
            try {
                new MoveSimulation(seed, real -> real).run();
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ": run it alone with -Dtatami.seed=" + seed, e);
            }
        }
    }

    private static void assertNoticed(UnaryOperator<MoveOperations> planted) {
        boolean noticed = false;
        for (long seed = 1; seed <= PLANTED_SEEDS_MAX && !noticed; seed++) {
            try {
                new MoveSimulation(seed, planted).run();
            } catch (IllegalStateException e) {
                noticed = true;
            }
        }
        assertTrue(noticed, "no seed noticed the bug that was planted");
    }

    /** What a commit needs to find, made up. */
    private static void begin(ShardState state, CommitMoveRequest request) {
        DirectoryId directory = new DirectoryId(handleOf(request).getDirectoryId());
        String name = request.getRename().getDestinationName();
        EntryRecord entry = state.entry(directory, name);
        EntryRecord.Builder marked = entry == null ? EntryRecord.newBuilder() : entry.toBuilder();
        state.putEntry(
                directory,
                name,
                marked.setArrivingTransaction(request.getTransactionId()).build());
        Shares.moveChanged(state, directory, 1);
        state.putTransaction(
                request.getTransactionId(),
                TransactionRecord.newBuilder().setDestination(true).build());
    }

    private static Handle handleOf(CommitMoveRequest request) {
        try {
            return Handle.parseFrom(request.getRename().getDestinationHandle().getPayload());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
