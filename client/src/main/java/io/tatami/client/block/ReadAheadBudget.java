package io.tatami.client.block;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/**
 * Memory of a client for what servers send ahead of its read streams, beyond the one chunk that each stream is sure of.
 * Safe for use by many threads.
 */
final class ReadAheadBudget {
    private final long bytesMax;
    private long taken;

    ReadAheadBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** A quarter of the direct memory that the process may have. */
    static ReadAheadBudget ofProcess() {
        return new ReadAheadBudget(directBytesMax() / 4);
    }

    private static long directBytesMax() {
        HotSpotDiagnosticMXBean options = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        long set = options == null
                ? 0
                : Long.parseLong(options.getVMOption("MaxDirectMemorySize").getValue());
        // Where it is not set the JVM takes as much as of heap.
        return set > 0 ? set : Runtime.getRuntime().maxMemory();
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
