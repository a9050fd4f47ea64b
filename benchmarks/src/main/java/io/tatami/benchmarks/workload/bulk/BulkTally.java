package io.tatami.benchmarks.workload.bulk;

import java.util.List;

/**
 * What clients did.
 *
 * @param files created, or closed
 * @param nanos until the slowest was done
 * @param withoutGrant files for which the shard had to be asked a second time
 */
record BulkTally(long files, long nanos, long withoutGrant) {
    /** Of clients that began together. */
    static BulkTally together(List<BulkTally> parts, long nanos) {
        return new BulkTally(
                parts.stream().mapToLong(BulkTally::files).sum(),
                nanos,
                parts.stream().mapToLong(BulkTally::withoutGrant).sum());
    }

    /** Of JVMs that began together, from what {@link #toString} of each gave. */
    static BulkTally parse(List<List<String>> answers) {
        List<BulkTally> parts = answers.stream()
                .map(words -> new BulkTally(
                        Long.parseLong(words.get(0)), Long.parseLong(words.get(1)), Long.parseLong(words.get(2))))
                .toList();
        return together(parts, parts.stream().mapToLong(BulkTally::nanos).max().orElse(0));
    }

    /** With what was done after it. */
    BulkTally then(BulkTally next) {
        return new BulkTally(files + next.files, nanos + next.nanos, withoutGrant + next.withoutGrant);
    }

    double seconds() {
        return nanos / 1e9;
    }

    @Override
    public String toString() {
        return files + " " + nanos + " " + withoutGrant;
    }
}
