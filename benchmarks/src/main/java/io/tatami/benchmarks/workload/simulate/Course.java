package io.tatami.benchmarks.workload.simulate;

/**
 * How a scenario goes.
 *
 * @param lostAfterSeconds from a server's death until all its blocks are copied ({@code tatami.copies.lost-after})
 * @param joining servers that join
 * @param slowPercent of disks that are slow
 * @param drainedBytes what the server that drains has at the beginning
 * @param balancePercent by how many percent of their room servers may differ
 * @param secondsMax of virtual time; then the simulation ends, done or not
 */
record Course(
        int lostAfterSeconds, int joining, int slowPercent, long drainedBytes, int balancePercent, long secondsMax) {}
