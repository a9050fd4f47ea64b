package io.tatami.block.cache;

import io.tatami.base.Check;

/**
 * How a plan is carried out, and whose it is.
 *
 * @param releaseAfterRead a copy is given up when it was read, rather than when its room is needed
 * @param windowBytes how much may be staged and not yet read; 0 for as much as the tier gives one plan
 * @param keepNanos the plan is forgotten when for so long nothing of it was read and nobody asked for it
 */
public record PlanSettings(boolean releaseAfterRead, long windowBytes, long keepNanos, PlanOrigin origin) {
    public PlanSettings {
        Check.check(windowBytes >= 0 && keepNanos > 0, "a window of %d bytes kept %d ns", windowBytes, keepNanos);
    }
}
