package io.tatami.crash;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which crash points a workload passes, learnt by running it: those of a first start, those of every start, and those
 * that come later, with how often.
 *
 * @param working passed after a node came to serve, and about how often in a round
 * @param starting passed only before a node serves
 * @param founding passed only by the first start in a directory
 */
record PointPlan(TreeMap<String, Long> working, TreeSet<String> starting, TreeSet<String> founding) {
    private static final int ROUNDS = 2;
    private static final long REST_MILLIS = 1_500;

    static PointPlan learn(Path directory, long seed) throws IOException, InterruptedException {
        NodeProcess.Place place = NodeProcess.Place.in(directory);
        CrashCourse course = new CrashCourse(seed);
        TreeMap<String, Long> working = new TreeMap<>();
        TreeSet<String> founding;
        try (NodeProcess first = NodeProcess.start(place)) {
            Map<String, Long> before = first.counts();
            founding = new TreeSet<>(before.keySet());
            course.work(first, 1);
            add(working, before, first.counts());
            first.kill();
        }
        TreeSet<String> starting;
        try (NodeProcess second = NodeProcess.start(place)) {
            Map<String, Long> before = second.counts();
            starting = new TreeSet<>(before.keySet());
            course.verify(second, "after a kill");
            course.work(second, ROUNDS);
            // For what is done in the background.
            Thread.sleep(REST_MILLIS);
            add(working, before, second.counts());
            second.stop();
        }
        starting.removeAll(working.keySet());
        founding.removeAll(working.keySet());
        founding.removeAll(starting);
        working.replaceAll((point, count) -> Math.max(1, count / (ROUNDS + 1)));
        return new PointPlan(working, starting, founding);
    }

    int size() {
        return working.size() + starting.size() + founding.size();
    }

    private static void add(Map<String, Long> sums, Map<String, Long> before, Map<String, Long> after) {
        after.forEach((point, count) -> {
            long passes = count - before.getOrDefault(point, 0L);
            if (passes > 0) {
                sums.merge(point, passes, Long::sum);
            }
        });
    }
}
