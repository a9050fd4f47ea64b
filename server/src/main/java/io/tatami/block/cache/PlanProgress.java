package io.tatami.block.cache;

/**
 * How far a plan is, in bytes of whole 4 MiB units.
 *
 * @param plannedBytes all that is planned
 * @param remainingBytes neither staged nor read nor given up yet
 * @param waitingBytes staged and not read yet
 * @param readBytes passed by readers
 * @param lateBytes of these, the bytes that were asked for before they were staged
 * @param failedBytes given up, because the block is not here whole, or the volume or the tier failed
 */
public record PlanProgress(
        long plannedBytes, long remainingBytes, long waitingBytes, long readBytes, long lateBytes, long failedBytes) {}
