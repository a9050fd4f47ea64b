package io.tatami.benchmarks.harness.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The figures of a benchmark's rounds, by what they are of. A figure of one side means little by itself: what counts is
 * its ratio to the other side's in the same round, and of these the median. Owned by one thread.
 */
public final class Rounds {
    private final List<Map<String, Double>> kept = new ArrayList<>();
    private Map<String, Double> current = new TreeMap<>();

    /** A figure of the current round. */
    public void put(String what, double figure) {
        current.put(what, figure);
    }

    /** A figure of the current round, of which only the greatest counts. */
    public void putGreatest(String what, double figure) {
        current.merge(what, figure, Math::max);
    }

    /** Ends the current round: its figures count. */
    public void keep() {
        kept.add(current);
        current = new TreeMap<>();
    }

    /** Ends the current round: its figures do not count. */
    public void leaveOut() {
        current = new TreeMap<>();
    }

    /** All that some round has a figure of, in the order of the alphabet. */
    public Set<String> subjects() {
        Set<String> subjects = new TreeSet<>();
        kept.forEach(round -> subjects.addAll(round.keySet()));
        return subjects;
    }

    /** One figure for each round that has it. */
    public List<Double> figures(String what) {
        return kept.stream()
                .filter(round -> round.containsKey(what))
                .map(round -> round.get(what))
                .toList();
    }

    /** A line for each subject. */
    public List<String> medians() {
        return subjects().stream()
                .map(what -> String.format("median %s %.2f", what, Results.median(figures(what))))
                .toList();
    }

    /** One ratio for each round that has both. */
    public List<Double> ratios(String over, String under) {
        return kept.stream()
                .filter(round -> round.containsKey(over) && round.containsKey(under))
                .map(round -> round.get(over) / round.get(under))
                .toList();
    }

    /** The median of ratios and how far they go apart; there must be some. */
    public static String describe(List<Double> ratios) {
        return String.format(
                "%.2f (median of %d rounds, %.2f to %.2f)",
                Results.median(ratios), ratios.size(), Collections.min(ratios), Collections.max(ratios));
    }
}
