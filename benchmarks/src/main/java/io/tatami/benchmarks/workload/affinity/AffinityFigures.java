package io.tatami.benchmarks.workload.affinity;

import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.Rounds;
import java.util.List;
import java.util.OptionalDouble;

/** The figures of jobs that are not void, and medians over the rounds. */
record AffinityFigures(Rounds rounds) {
    private static final String RATE = ", MB/s";
    private static final String IDEAL = ", ideal";
    private static final String BEFORE = ", before";
    private static final String NEAR = ", near";
    private static final String FAR = ", far";
    private static final String AFTER = ", after";
    private static final String PASSED_OVER = ", passed over";

    void put(AffinityCell cell, AffinityRun run) {
        AffinityRun.Parts parts = run.parts();
        rounds.put(cell + RATE, run.megabytesPerSecond());
        rounds.put(cell + IDEAL, parts.ideal());
        rounds.put(cell + BEFORE, parts.before());
        rounds.put(cell + NEAR, parts.near());
        rounds.put(cell + FAR, parts.far());
        rounds.put(cell + AFTER, parts.after());
        if (cell.isLocated()) {
            rounds.put(cell + PASSED_OVER, run.passedOver());
        }
    }

    /** In MB/s; empty where all rounds were void. */
    OptionalDouble rate(AffinityCell cell) {
        return median(rounds.figures(cell + RATE));
    }

    /** Of the rounds' ratios; empty where no round has both. */
    OptionalDouble ratio(AffinityCell over, AffinityCell under) {
        return median(rounds.ratios(over + RATE, under + RATE));
    }

    /** Of each part by itself; there must be some round. */
    AffinityRun.Parts parts(AffinityCell cell) {
        return new AffinityRun.Parts(
                median(rounds.figures(cell + IDEAL)).orElseThrow(),
                median(rounds.figures(cell + BEFORE)).orElseThrow(),
                median(rounds.figures(cell + NEAR)).orElseThrow(),
                median(rounds.figures(cell + FAR)).orElseThrow(),
                median(rounds.figures(cell + AFTER)).orElseThrow());
    }

    /** Of all rounds together. */
    int passedOver(AffinityCell cell) {
        return (int) rounds.figures(cell + PASSED_OVER).stream()
                .mapToDouble(Double::doubleValue)
                .sum();
    }

    private static OptionalDouble median(List<Double> values) {
        return values.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(Results.median(values));
    }
}
