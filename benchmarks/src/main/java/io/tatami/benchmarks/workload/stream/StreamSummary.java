package io.tatami.benchmarks.workload.stream;

import io.tatami.benchmarks.harness.report.Rounds;
import java.util.ArrayList;
import java.util.List;

/** What the rounds of the streams come to, in lines. */
final class StreamSummary {
    private static final List<String> WORKLOADS = List.of("write", "write-synced", "cold-read", "warm-read");

    private final Rounds figures;
    private final List<Integer> streamCounts;
    private final String versus;

    /** @param versus the name of what Tatami is compared with; empty for nothing */
    StreamSummary(Rounds figures, List<Integer> streamCounts, String versus) {
        this.figures = figures;
        this.streamCounts = streamCounts.stream().sorted().toList();
        this.versus = versus;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>(figures.medians());
        List<String> peers = versus.isEmpty() ? List.of("tatami") : List.of("tatami", versus);
        for (String workload : WORKLOADS) {
            for (int streams : streamCounts) {
                StreamFigure figure = new StreamFigure(workload, streams);
                for (String peer : peers) {
                    addRatio(lines, figure + ": " + peer + " to the ceiling", figure.rate(peer), figure.ceiling());
                    addKept(lines, figure, peer);
                }
                addRatio(lines, figure + ": tatami to " + versus, figure.rate("tatami"), figure.rate(versus));
                addRatio(lines, figure + ": CPU of tatami to " + versus, figure.cpu("tatami"), figure.cpu(versus));
            }
        }
        return lines;
    }

    /** How much of what one stream has is left when there are more. */
    private void addKept(List<String> lines, StreamFigure figure, String peer) {
        int fewest = streamCounts.get(0);
        if (figure.streams() != fewest) {
            StreamFigure alone = new StreamFigure(figure.workload(), fewest);
            addRatio(lines, figure + ": " + peer + " to its own x" + fewest, figure.rate(peer), alone.rate(peer));
        }
    }

    private void addRatio(List<String> lines, String label, String over, String under) {
        List<Double> ratios = figures.ratios(over, under);
        if (!ratios.isEmpty()) {
            lines.add(label + " " + Rounds.describe(ratios));
        }
    }
}
