package io.tatami.benchmarks.workload.chaos;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;

/** What is struck next, from a seed: the same for the same seed and the same answers of {@link #fits}. */
final class StrikeDraw {
    /** Nodes that are harmed at once at most: one copy of each block is left. */
    static final int HARMED_MAX = 2;

    private static final int MILLIS_MIN = 2_000;
    private static final int MILLIS_MAX = 20_000;
    private static final int LONG_MILLIS = 85_000;
    private static final int PAUSE_MILLIS_MAX = 6_000;

    private final Random random;
    private final int nodes;
    private final List<Harm> weighted = new ArrayList<>();

    /** @param nodes of the lab; the first has the metadata server, and its links are never cut but in pairs */
    StrikeDraw(long seed, int nodes) {
        // Small seeds give java.util.Random the same first draws.
        this.random = new Random(new SplittableRandom(seed).nextLong());
        this.nodes = nodes;
        Arrays.stream(Harm.values()).forEach(harm -> {
            for (int i = 0; i < harm.weight; i++) {
                weighted.add(harm);
            }
        });
    }

    long pauseMillis() {
        return random.nextInt(PAUSE_MILLIS_MAX);
    }

    Strike next() {
        Harm harm = weighted.get(random.nextInt(weighted.size()));
        int first = harm.isOfLinks() ? 2 + random.nextInt(nodes - 1) : 1 + random.nextInt(nodes);
        long millis = harm == Harm.LONG_KILL ? LONG_MILLIS : MILLIS_MIN + random.nextInt(MILLIS_MAX - MILLIS_MIN);
        return switch (harm) {
            case CUT_PAIR -> new Strike(harm, List.of(first, 1 + first % nodes), millis);
            case METADATA_KILL -> new Strike(harm, List.of(1), MILLIS_MIN + millis / 4);
            case CLIENT_KILL -> new Strike(harm, List.of(), MILLIS_MIN);
            default -> new Strike(harm, List.of(first), millis);
        };
    }

    /**
     * Whether a strike leaves one copy of every block, and no node is harmed in two ways.
     *
     * @param active what is not taken back, or destroyed bytes that are not known to be copied again
     */
    static boolean fits(Strike strike, List<Strike> active) {
        if (strike.harm().isBesideBlockServers()) {
            return active.stream().noneMatch(other -> other.harm() == strike.harm());
        }
        Set<Integer> harmed = new HashSet<>();
        active.stream()
                .filter(other -> !other.harm().isBesideBlockServers())
                .forEach(other -> harmed.addAll(other.nodes()));
        if (strike.nodes().stream().anyMatch(harmed::contains)) {
            return false;
        }
        harmed.addAll(strike.nodes());
        boolean isSecondLoss = strike.harm().isDestroying()
                && active.stream().anyMatch(other -> other.harm().isDestroying());
        return harmed.size() <= HARMED_MAX && !isSecondLoss;
    }
}
