package io.tatami.block.service;

/**
 * Memory of one volume for what its writers send ahead of it, beyond what each is sure of. Safe for use by many
 * threads.
 */
final class ReceiveBudget {
    private final long bytesMax;
    private long taken;

    ReceiveBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** As much of {@code wanted} as is left; 0 or more. */
    synchronized long take(long wanted) {
        long got = Math.max(0, Math.min(wanted, bytesMax - taken));
        taken += got;
        return got;
    }

    synchronized void giveBack(long bytes) {
        taken -= bytes;
    }

    synchronized long taken() {
        return taken;
    }
}
