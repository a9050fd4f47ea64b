package io.tatami.benchmarks.workload.ior;

import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.Rounds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** What the rounds say: of each cell the medians of those that are not void. */
final class IorSummary {
    private static final String NOTHING = "void";

    private final Rounds figures;
    private final List<Integer> servers;
    private final List<Integer> writers;
    private final List<ByteSize> transfers;

    IorSummary(Rounds figures, List<Integer> servers, List<Integer> writers, List<ByteSize> transfers) {
        this.figures = figures;
        this.servers = servers;
        this.writers = writers;
        this.transfers = transfers;
    }

    /** A table, and a line for each number of servers. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        StringBuilder head = new StringBuilder(format("%7s %8s %10s", "servers", "transfer", "sum, MB/s"));
        writers.forEach(count -> head.append(format(" %13s", count + " writers")));
        lines.add("of the sum of what each server does alone (fullest server's bytes to the mean):");
        lines.add(head.toString());
        for (int count : servers) {
            transfers.forEach(transfer -> lines.add(row(count, transfer)));
        }
        servers.forEach(count -> lines.add(line(count)));
        return lines;
    }

    private String row(int count, ByteSize transfer) {
        String sum = text("%.1f", median(new IorCell(count, 1, transfer).sum()));
        StringBuilder row = new StringBuilder(format("%7d %8s %10s", count, transfer, sum));
        for (int each : writers) {
            IorCell cell = new IorCell(count, each, transfer);
            OptionalDouble ratio = ratio(cell);
            String skew = ratio.isPresent() ? " (" + text("%.2f", median(cell.skew())) + ")" : "";
            row.append(format(" %13s", text("%.2f", ratio) + skew));
        }
        return row.toString();
    }

    /** The median and the range of the cells that have a writer a server at least. */
    private String line(int count) {
        List<Double> ratios = new ArrayList<>();
        for (ByteSize transfer : transfers) {
            for (int each : writers) {
                IorCell cell = new IorCell(count, each, transfer);
                if (!cell.leavesServersIdle()) {
                    ratio(cell).ifPresent(ratios::add);
                }
            }
        }
        if (ratios.isEmpty()) {
            return "servers " + count + ": no cell that counts";
        }
        return format(
                "servers %d: %.2f of the sum (median of %d cells with a writer a server or more, %.2f to %.2f)",
                count, Results.median(ratios), ratios.size(), Collections.min(ratios), Collections.max(ratios));
    }

    /** The median of the rounds' ratios of what all reach to the sum; empty where none counts. */
    OptionalDouble ratio(IorCell cell) {
        return median(figures.ratios(cell.rate(), cell.sum()));
    }

    /** The median over the rounds. */
    OptionalDouble median(String what) {
        return median(figures.figures(what));
    }

    private static OptionalDouble median(List<Double> values) {
        return values.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(Results.median(values));
    }

    private static String text(String pattern, OptionalDouble figure) {
        return figure.isPresent() ? format(pattern, figure.getAsDouble()) : NOTHING;
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
