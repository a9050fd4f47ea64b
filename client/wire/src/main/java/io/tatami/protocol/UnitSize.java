package io.tatami.protocol;

/** The size of the transfers that bulk data is cut into: what a device is given at once, and what a reader maps. */
public final class UnitSize {
    public static final int BYTES = 4 << 20;

    private UnitSize() {}
}
