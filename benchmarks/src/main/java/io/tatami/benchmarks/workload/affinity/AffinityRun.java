package io.tatami.benchmarks.workload.affinity;

import io.tatami.benchmarks.workload.affinity.AffinityTask.Place;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * One job's tasks, at most one on each node at a time, and what they say together. Times are from the first task's
 * first byte on, so that the starts of processes count only where one is later than another.
 *
 * @param racks by hosts
 * @param nodes whose disks could have worked all the time
 * @param diskSeconds what a disk alone takes for a task's bytes, all copies counted
 * @param endMillis when all was done; of the epoch
 */
record AffinityRun(List<AffinityTask> tasks, Map<String, String> racks, int nodes, double diskSeconds, long endMillis) {
    private static final double MEGA = 1e6;

    static AffinityRun of(List<AffinityTask> tasks, Map<String, String> racks, int nodes, double diskSeconds) {
        return new AffinityRun(tasks, racks, nodes, diskSeconds, lastMillis(tasks));
    }

    /** The same tasks, whose bytes are durable only then. */
    AffinityRun until(long millis) {
        return new AffinityRun(tasks, racks, nodes, diskSeconds, Math.max(millis, lastMillis(tasks)));
    }

    /** The same tasks, without what came behind them. */
    AffinityRun withoutSync() {
        return of(tasks, racks, nodes, diskSeconds);
    }

    private static long lastMillis(List<AffinityTask> tasks) {
        return tasks.stream().mapToLong(task -> task.span().endMillis()).max().orElseThrow();
    }

    private AffinityTask first() {
        return tasks.stream()
                .min(Comparator.comparingLong(task -> task.span().beginMillis()))
                .orElseThrow();
    }

    private AffinityTask last() {
        return tasks.stream()
                .max(Comparator.comparingLong(task -> task.span().endMillis()))
                .orElseThrow();
    }

    double seconds() {
        return (endMillis - first().span().beginMillis()) / 1e3;
    }

    double megabytes() {
        return tasks.stream().mapToLong(AffinityTask::bytes).sum() / MEGA;
    }

    double megabytesPerSecond() {
        return megabytes() / seconds();
    }

    /** What came to all nodes over their links while their tasks ran. */
    double receivedMegabytes() {
        return tasks.stream().mapToLong(task -> task.carried().received()).sum() / MEGA;
    }

    /** How busy the machine's cores were between the first byte and the last, with whatever else ran. */
    double coresPercent() {
        return last().span().coresEnd().busyPercentSince(first().span().coresBegin());
    }

    long count(Place place) {
        return tasks.stream().filter(task -> task.place(racks) == place).count();
    }

    /** Tasks that are not beside their bytes, though a node that has them had no task when they were placed. */
    long passedOver() {
        return tasks.stream()
                .filter(task ->
                        task.place(racks) != Place.NODE && task.hosts().stream().anyMatch(host -> isIdle(host, task)))
                .count();
    }

    private boolean isIdle(String host, AffinityTask placed) {
        return tasks.stream().noneMatch(task -> task.node().equals(host) && task.isPlacedAt(placed.grantedMillis()));
    }

    /**
     * The parts of the time of all nodes; their sum is 1 where each node has one task.
     *
     * @param ideal in which disks would have moved the bytes by themselves: what is reached of all nodes' disks
     * @param before until a node's task began
     * @param near by which tasks beside their bytes took longer than a disk alone; less than 0 where a cache helped
     * @param far by which the others did
     * @param after from a task's end until the last one's, or until all is durable
     */
    record Parts(double ideal, double before, double near, double far, double after) {}

    Parts parts() {
        double all = nodes * seconds();
        long begin = first().span().beginMillis();
        return new Parts(
                tasks.size() * diskSeconds / all,
                sum(tasks, task -> (task.span().beginMillis() - begin) / 1e3) / all,
                sum(at(true), task -> task.span().seconds() - diskSeconds) / all,
                sum(at(false), task -> task.span().seconds() - diskSeconds) / all,
                sum(tasks, task -> (endMillis - task.span().endMillis()) / 1e3) / all);
    }

    private List<AffinityTask> at(boolean isNear) {
        return tasks.stream()
                .filter(task -> (task.place(racks) == Place.NODE) == isNear)
                .toList();
    }

    private static double sum(List<AffinityTask> tasks, ToDoubleFunction<AffinityTask> figure) {
        return tasks.stream().mapToDouble(figure).sum();
    }
}
