package io.tatami.benchmarks.workload.chaos;

import java.util.List;

/**
 * One harm to some nodes for some time.
 *
 * @param nodes by number; one, or two where the link between them is cut; none where a process of clients is killed
 * @param millis until it is taken back
 */
record Strike(Harm harm, List<Integer> nodes, long millis) {
    Strike {
        nodes = List.copyOf(nodes);
    }

    @Override
    public String toString() {
        return harm + " of " + nodes + " for " + millis + " ms";
    }
}
