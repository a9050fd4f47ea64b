package io.tatami.base;

/**
 * Memory for a purpose, such as what the writers of a volume send ahead of it, or servers ahead of a client's readers.
 * Safe for use by many threads.
 */
public final class MemoryBudget {
    private final long bytesMax;
    private long taken;

    public MemoryBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** As much of {@code wanted} as is left; 0 or more. */
    public synchronized long take(long wanted) {
        long got = Math.max(0, Math.min(wanted, bytesMax - taken));
        taken += got;
        return got;
    }

    public synchronized void giveBack(long bytes) {
        taken -= bytes;
    }

    public synchronized long taken() {
        return taken;
    }
}
