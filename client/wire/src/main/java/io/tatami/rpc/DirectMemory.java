package io.tatami.rpc;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/** The memory outside the heap, in which bytes come from the network and go there. Safe for use by many threads. */
public final class DirectMemory {
    /** What is short where an allocation fails, and what helps; for messages. */
    public static final String REMEDY =
            "this process has no memory left for buffers; raise -XX:MaxDirectMemorySize (by default as much as -Xmx)"
                    + " and -Xmx, or open fewer files at once";

    private DirectMemory() {}

    /** How many bytes this process may have. */
    public static long bytesMax() {
        HotSpotDiagnosticMXBean options = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        long set = options == null
                ? 0
                : Long.parseLong(options.getVMOption("MaxDirectMemorySize").getValue());
        // Where it is not set the JVM takes as much as of heap.
        return set > 0 ? set : Runtime.getRuntime().maxMemory();
    }
}
