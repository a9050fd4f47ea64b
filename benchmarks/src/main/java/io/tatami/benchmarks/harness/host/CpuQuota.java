package io.tatami.benchmarks.harness.host;

import java.io.IOException;

/**
 * A group of processes that may be held to a part of a core, by cgroup v1's {@code cpu} controller; {@code cpuacct}
 * tells what they used. Needs root.
 */
public final class CpuQuota implements AutoCloseable {
    private static final String LIMITS = "cpu";
    private static final String ACCOUNT = "cpuacct";

    private final ControlGroup limits;
    private final ControlGroup account;

    /**
     * What the kernel has counted.
     *
     * @param usedNanos CPU time
     * @param periods in which somebody of the group wanted to run, while there was a quota
     * @param throttledPeriods those of them in which the quota was used up
     */
    public record Usage(long usedNanos, long periods, long throttledPeriods) {
        public Usage since(Usage earlier) {
            return new Usage(
                    usedNanos - earlier.usedNanos,
                    periods - earlier.periods,
                    throttledPeriods - earlier.throttledPeriods);
        }

        public Usage plus(Usage more) {
            return new Usage(
                    usedNanos + more.usedNanos, periods + more.periods, throttledPeriods + more.throttledPeriods);
        }

        /** @param cpuStat the text of the kernel's file of that name */
        static Usage parse(long usedNanos, String cpuStat) throws IOException {
            return new Usage(usedNanos, value(cpuStat, "nr_periods"), value(cpuStat, "nr_throttled"));
        }

        private static long value(String cpuStat, String name) throws IOException {
            for (String line : cpuStat.split("\n", -1)) {
                if (line.startsWith(name + " ")) {
                    return Long.parseLong(line.substring(name.length()).strip());
                }
            }
            throw new IOException("the kernel does not tell " + name + ", but:\n" + cpuStat);
        }
    }

    /** Whether this machine has both controllers, and this process may use them. */
    public static boolean isAvailable() {
        return ControlGroup.isAvailable(LIMITS) && ControlGroup.isAvailable(ACCOUNT);
    }

    /** For as many groups of processes as there are {@code name}s; at first without a limit. */
    public CpuQuota(String name) throws IOException {
        limits = ControlGroup.make(LIMITS, name);
        try {
            account = ControlGroup.make(ACCOUNT, name);
        } catch (IOException e) {
            limits.close();
            throw e;
        }
    }

    public void add(ProcessHandle process) throws IOException {
        limits.add(process);
        account.add(process);
    }

    /**
     * From now on.
     *
     * @param cores of CPU time for each second
     * @param periodMicros after which a group that has used its part up may run again
     */
    public void limit(double cores, int periodMicros) throws IOException {
        limits.write("cpu.cfs_quota_us", "-1");
        limits.write("cpu.cfs_period_us", Integer.toString(periodMicros));
        limits.write("cpu.cfs_quota_us", Long.toString(Math.round(cores * periodMicros)));
    }

    public void unlimit() throws IOException {
        limits.write("cpu.cfs_quota_us", "-1");
    }

    public Usage usage() throws IOException {
        return Usage.parse(Long.parseLong(account.read("cpuacct.usage")), limits.read("cpu.stat"));
    }

    @Override
    public void close() throws IOException {
        try {
            limits.close();
        } finally {
            account.close();
        }
    }
}
