package io.tatami.benchmarks.workload.simulate;

import io.tatami.benchmarks.workload.simulate.SimulationResult.Sample;
import java.util.ArrayList;
import java.util.List;

/** Samples at equal distances of time, at most {@value #SAMPLES_MAX}: where there are more, each second one goes. */
final class Curve {
    private static final int SAMPLES_MAX = 600;

    private final List<Sample> samples = new ArrayList<>();
    private double spacingSeconds = 1;

    /** Takes a sample where the last one is old enough. */
    void add(double seconds, long blocks) {
        if (!samples.isEmpty() && seconds - samples.get(samples.size() - 1).seconds() < spacingSeconds) {
            return;
        }
        samples.add(new Sample(seconds, blocks));
        if (samples.size() > SAMPLES_MAX) {
            List<Sample> kept = new ArrayList<>();
            for (int i = 0; i < samples.size(); i += 2) {
                kept.add(samples.get(i));
            }
            samples.clear();
            samples.addAll(kept);
            spacingSeconds *= 2;
        }
    }

    /** With a last one, whatever its distance. */
    List<Sample> end(double seconds, long blocks) {
        samples.add(new Sample(seconds, blocks));
        return List.copyOf(samples);
    }
}
