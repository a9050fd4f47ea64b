package io.tatami.server.console;

import io.tatami.server.status.StatusReport;

/**
 * The cluster at one moment, with the answers that tell of it: written once, however many ask.
 *
 * @param takenNanos when it was complete, by the monotonic clock
 * @param tookMillis to ask for
 * @param cluster, pending, plans in JSON
 */
record Snapshot(StatusReport report, long takenNanos, long tookMillis, byte[] cluster, byte[] pending, byte[] plans) {}
