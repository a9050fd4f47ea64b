package io.tatami.meta.service.move;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.meta.state.wire.Arrival;
import io.tatami.protocol.wire.GiveEntriesReply;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class WideningSimulationTest {
    private static final int SEEDS = 12;
    private static final int PLANTED_SEEDS_MAX = 500;
    private static final int SEEDS_SOAK = 20_000;

    @Test
    void wideningLosesAndDoublesNothingWhateverCrashesAndGetsLost() {
        run(Long.getLong("tatami.seed", 1), SEEDS);
    }

    @Test
    @Tag("soak")
    void wideningLosesAndDoublesNothingOverManySeeds() {
        run(Long.getLong("tatami.seed", 1_000_000), SEEDS_SOAK);
    }

    @Test
    @Tag("simulated-bug")
    void giverThatDropsWhatHasNotArrivedIsNoticed() {
        assertNoticed(real -> PlantedMoves.withHandOver(
                real,
                (state, context, request) -> {
                    GiveEntriesReply given = real.give().decide(state, context, request);
                    if (!given.getUpTo().isEmpty()) {
                        real.give()
                                .decide(
                                        state,
                                        context,
                                        request.toBuilder()
                                                .setArrivedUpTo(given.getUpTo())
                                                .build());
                    }
                    return given;
                },
                real.arrive()));
    }

    @Test
    @Tag("simulated-bug")
    void receiverThatTakesAllForArrivedIsNoticed() {
        assertNoticed(real -> PlantedMoves.withHandOver(
                real,
                real.give(),
                (state, context, request) -> real.arrive()
                        .decide(
                                state,
                                context,
                                request.toBuilder()
                                        .setGiven(request.getGiven().toBuilder().setMore(false))
                                        .build())));
    }

    @Test
    @Tag("simulated-bug")
    void receiverThatForgetsWhatItFetchedAheadIsNoticed() {
        assertNoticed(real -> PlantedMoves.withHandOver(real, real.give(), real.arrive(), (state, context, request) -> {
            Arrival arrival = real.arriveOne().decide(state, context, request);
            state.removeFetched(new DirectoryId(request.getDirectoryId()), request.getName());
            return arrival;
        }));
    }

    private static void run(long first, int seeds) {
        for (long seed = first; seed < first + seeds; seed++) {
            try {
                new WideningSimulation(seed, real -> real).run();
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ": run it alone with -Dtatami.seed=" + seed, e);
            }
        }
    }

    private static void assertNoticed(UnaryOperator<MoveOperations> planted) {
        boolean noticed = false;
        for (long seed = 1; seed <= PLANTED_SEEDS_MAX && !noticed; seed++) {
            try {
                new WideningSimulation(seed, planted).run();
            } catch (IllegalStateException e) {
                noticed = true;
            }
        }
        assertTrue(noticed, "no seed noticed the bug that was planted");
    }
}
