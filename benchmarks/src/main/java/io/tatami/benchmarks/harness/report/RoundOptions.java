package io.tatami.benchmarks.harness.report;

import java.util.Random;
import java.util.SplittableRandom;
import picocli.CommandLine.Option;

/** How often a benchmark repeats what it measures, and where the random orders of that come from. */
public final class RoundOptions {
    @Option(names = "--rounds", description = "How often everything is repeated (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--seed", description = "Of the orders in which things come (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    /** @param rounds where no other number is asked for */
    public RoundOptions(int rounds) {
        this.rounds = rounds;
    }

    public int rounds() {
        return rounds;
    }

    public long seed() {
        return seed;
    }

    /** Begins anew from the seed. */
    public Random random() {
        // Small seeds give java.util.Random the same first draws.
        return new Random(new SplittableRandom(seed).nextLong());
    }
}
