package io.tatami.benchmarks.workload.simulate;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;

/** CPU time that the planners take of the thread that calls them, and how often they are called. */
final class PlannerMeter {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Map<Planner, long[]> cpuNanos = new EnumMap<>(Planner.class);

    PlannerMeter() {
        for (Planner planner : Planner.values()) {
            cpuNanos.put(planner, new long[2]);
        }
    }

    /** Whose time it is. */
    enum Planner {
        /** {@code BlockPlacer}: a block of a new file. */
        PLACE,
        /** {@code CopyJudge}: one block. */
        JUDGE,
        /** {@code BalancePlan}: one block that may be moved. */
        BALANCE,
        /** {@code ServersView}: the view of all servers that the others decide by. */
        VIEW,
        /** {@code BalancePlan}: the plan itself. */
        PLAN
    }

    <T> T measure(Planner planner, Supplier<T> decision) {
        long begin = THREADS.getCurrentThreadCpuTime();
        T decided = decision.get();
        long[] count = of(planner);
        count[0] += THREADS.getCurrentThreadCpuTime() - begin;
        count[1]++;
        return decided;
    }

    private long[] of(Planner planner) {
        long[] count = cpuNanos.get(planner);
        if (count == null) {
            throw new IllegalStateException("no count of " + planner);
        }
        return count;
    }

    double cpuSeconds(Planner planner) {
        return of(planner)[0] / 1e9;
    }

    long decisions(Planner planner) {
        return of(planner)[1];
    }

    double cpuSeconds() {
        return cpuNanos.values().stream().mapToLong(count -> count[0]).sum() / 1e9;
    }

    /** Decisions in a second of CPU time; 0 where there were none. */
    double rate(Planner planner) {
        return decisions(planner) == 0 ? 0 : decisions(planner) / Math.max(1e-9, cpuSeconds(planner));
    }
}
