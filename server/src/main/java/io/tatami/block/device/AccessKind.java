package io.tatami.block.device;

/** What accesses to a device are for: {@link TurnOrder} divides the device between the kinds. */
public enum AccessKind {
    /** Somebody waits for the bytes. */
    READ(1, TurnOrder.TURN_BYTES_MAX),
    /** Somebody waits for their room in memory, or until they are durable. */
    WRITE(1, TurnOrder.TURN_BYTES_MAX),
    /**
     * Nobody waits: scrubbing, staging, moving. Gets what the others leave, and where one of them leaves nothing a
     * ninth of the device; where both do, a seventeenth.
     */
    BACKGROUND(8, Device.UNIT_BYTES);

    private final int weight;
    private final long turnBytesMax;

    AccessKind(int weight, long turnBytesMax) {
        this.weight = weight;
        this.turnBytesMax = turnBytesMax;
    }

    /** How many times over a byte of it counts. */
    int weight() {
        return weight;
    }

    long turnBytesMax() {
        return turnBytesMax;
    }
}
