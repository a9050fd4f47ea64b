package io.tatami.hadoop.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** How often each operation came to each outcome. Safe for use by many threads. */
final class Coverage {
    private final Map<String, Map<String, Long>> counts = new TreeMap<>();
    private long operations;
    private long successes;

    synchronized void add(RandomOperation operation, Outcome outcome) {
        counts.computeIfAbsent(operation.kind(), kind -> new TreeMap<>()).merge(outcome.kind(), 1L, Long::sum);
        operations++;
        if (outcome.isSuccess()) {
            successes++;
        }
    }

    synchronized long operations() {
        return operations;
    }

    synchronized double successShare() {
        return operations == 0 ? 0 : (double) successes / operations;
    }

    /** Those of {@code required}, as "operation outcome", that did not happen. */
    synchronized List<String> missing(List<String> required) {
        List<String> missing = new ArrayList<>();
        for (String cell : required) {
            int space = cell.indexOf(' ');
            if (!counts.getOrDefault(cell.substring(0, space), Map.of()).containsKey(cell.substring(space + 1))) {
                missing.add(cell);
            }
        }
        return missing;
    }

    @Override
    public synchronized String toString() {
        TreeSet<String> outcomes = new TreeSet<>();
        counts.values().forEach(row -> outcomes.addAll(row.keySet()));
        StringBuilder table = new StringBuilder();
        List<String> legend = new ArrayList<>(outcomes);
        for (int i = 0; i < legend.size(); i++) {
            table.append(String.format("%8s = %s%n", "#" + i, legend.get(i)));
        }
        table.append(String.format("%-20s", "operation"));
        for (int i = 0; i < legend.size(); i++) {
            table.append(String.format("%8s", "#" + i));
        }
        counts.forEach((operation, row) -> {
            table.append(String.format("%n%-20s", operation));
            legend.forEach(outcome -> table.append(String.format("%8d", row.getOrDefault(outcome, 0L))));
        });
        return table.append(String.format("%n%d operations, %.1f %% succeeded", operations, 100 * successShare()))
                .toString();
    }
}
