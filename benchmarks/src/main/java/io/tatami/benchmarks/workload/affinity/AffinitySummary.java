package io.tatami.benchmarks.workload.affinity;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** What the rounds say: lines with medians of those that are not void. */
final class AffinitySummary {
    private static final String NOTHING = "void";

    private final AffinityFigures figures;
    private final AffinityOptions options;

    AffinitySummary(AffinityFigures figures, AffinityOptions options) {
        this.figures = figures;
        this.options = options;
    }

    /** Of all that was measured, in the order of the options: one for each setting, number of nodes and peer. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (AffinityCell setting : settings()) {
            for (int nodes : options.nodes) {
                for (String peer : options.peers) {
                    AffinityCell cell = setting.on(nodes).of(peer);
                    if (isMeasured(cell)) {
                        lines.add(line(cell));
                    }
                }
            }
        }
        if (options.kinds.contains(AffinityOptions.READ)) {
            options.peers.forEach(peer -> lines.add(passedOver(peer)));
        }
        return lines;
    }

    /** Of readers with locations, and of writers; of some number of nodes and the first peer. */
    List<AffinityCell> settings() {
        List<AffinityCell> settings = new ArrayList<>();
        for (AffinityKind kind : kinds()) {
            for (int copies : options.copies) {
                for (double link : options.links) {
                    for (int uplink : options.uplinks) {
                        settings.add(new AffinityCell(
                                options.peers.get(0),
                                kind,
                                options.nodes.get(0),
                                link,
                                uplink,
                                copies,
                                kind == AffinityKind.READ));
                    }
                }
            }
        }
        return settings;
    }

    private List<AffinityKind> kinds() {
        List<AffinityKind> kinds = new ArrayList<>();
        if (options.kinds.contains(AffinityOptions.READ)) {
            kinds.add(AffinityKind.READ);
        }
        if (options.kinds.contains(AffinityOptions.WRITE)) {
            kinds.add(AffinityKind.WRITE);
            kinds.add(AffinityKind.WRITE_SYNCED);
        }
        return kinds;
    }

    /** Whether rounds have it, void or not. */
    static boolean isMeasured(AffinityCell cell) {
        return cell.copies() <= cell.nodes()
                && (cell.uplink() == 0 || cell.nodes() > 1)
                && (cell.isHdfs() || cell.kind() != AffinityKind.WRITE_SYNCED);
    }

    private String line(AffinityCell cell) {
        OptionalDouble rate = figures.rate(cell);
        if (rate.isEmpty()) {
            return cell + ": " + NOTHING;
        }
        AffinityRun.Parts parts = figures.parts(cell);
        String to = cell.kind() == AffinityKind.READ ? ", " + ratio(cell) + " of the rate without" : "";
        return String.format(
                Locale.ROOT,
                "%s: %.1f MB/s%s; %.2f of the disks alone; the rest: %.2f before a task began, %.2f beside the bytes,"
                        + " %.2f elsewhere, %.2f after a task ended",
                cell,
                rate.getAsDouble(),
                to,
                parts.ideal(),
                parts.before(),
                parts.near(),
                parts.far(),
                parts.after());
    }

    private String ratio(AffinityCell cell) {
        OptionalDouble ratio = figures.ratio(cell, cell.located(false));
        return ratio.isPresent() ? String.format(Locale.ROOT, "%.2f", ratio.getAsDouble()) : NOTHING;
    }

    private String passedOver(String peer) {
        int all = 0;
        for (AffinityCell setting : settings()) {
            for (int nodes : options.nodes) {
                all += figures.passedOver(setting.on(nodes).of(peer));
            }
        }
        return peer + ": " + all + " tasks with locations were placed elsewhere while a node with their bytes had no"
                + " task";
    }
}
