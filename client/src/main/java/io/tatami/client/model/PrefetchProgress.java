package io.tatami.client.model;

/**
 * How far an access plan is, over all block servers, in bytes of whole 4 MiB units.
 *
 * @param plannedBytes what servers with a cache tier have to stage
 * @param remainingBytes of these, neither staged nor read nor given up yet
 * @param waitingBytes staged and not read yet
 * @param readBytes passed by readers
 * @param lateBytes of these, what was not there yet when it was asked for
 * @param failedBytes could not be staged: files being written, failed disks
 */
public record PrefetchProgress(
        long plannedBytes, long remainingBytes, long waitingBytes, long readBytes, long lateBytes, long failedBytes) {
    /** The sum of two servers' progress. */
    public PrefetchProgress plus(PrefetchProgress other) {
        return new PrefetchProgress(
                plannedBytes + other.plannedBytes,
                remainingBytes + other.remainingBytes,
                waitingBytes + other.waitingBytes,
                readBytes + other.readBytes,
                lateBytes + other.lateBytes,
                failedBytes + other.failedBytes);
    }
}
