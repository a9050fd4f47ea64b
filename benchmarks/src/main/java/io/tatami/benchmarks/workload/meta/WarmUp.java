package io.tatami.benchmarks.workload.meta;

import java.util.List;

/**
 * Before anything is measured, all of it is done in several parts, each in a directory of its own: the way from one to
 * the next has to be warm too.
 */
final class WarmUp {
    /** What follows the path of what is measured. */
    static final List<String> PARTS = List.of("/warm-1", "/warm-2", "/warm-3");

    private WarmUp() {}

    /** How long each part takes, of so many seconds. */
    static int partOf(int seconds) {
        return (seconds + PARTS.size() - 1) / PARTS.size();
    }
}
