package io.tatami.block.service;

/** Memory for a purpose, such as what the writers of a volume send ahead of it. Safe for use by many threads. */
final class MemoryBudget {
    private final long bytesMax;
    private long taken;

    MemoryBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** As much of {@code wanted} as is left; 0 or more. */
    synchronized long take(long wanted) {
        long got = Math.max(0, Math.min(wanted, bytesMax - taken));
        taken += got;
        return got;
    }

    /** All of {@code wanted}, or nothing. */
    synchronized boolean tryTake(long wanted) {
        boolean fits = wanted <= bytesMax - taken;
        taken += fits ? wanted : 0;
        return fits;
    }

    synchronized void giveBack(long bytes) {
        taken -= bytes;
    }

    synchronized long taken() {
        return taken;
    }
}
