package io.tatami.server.monitor;

import io.tatami.conf.SettingCatalog;
import io.tatami.conf.Settings;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.lang.management.ThreadInfo;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;

/** What this process is, as text for administrators. Safe for use by many threads. */
final class ProcessText {
    private final SettingCatalog catalog;
    private final Settings settings;
    private final String version;

    /**
     * @param catalog of every setting of this program
     * @param version of this release
     */
    ProcessText(SettingCatalog catalog, Settings settings, String version) {
        this.catalog = catalog;
        this.settings = settings;
        this.version = version;
    }

    /** Every setting in a line of its own. */
    String settings() {
        return catalog.valuesIn(settings);
    }

    /** The release, the Java and the machine. */
    String process() {
        RuntimeMXBean java = ManagementFactory.getRuntimeMXBean();
        Runtime memory = Runtime.getRuntime();
        return "release=" + version
                + "\nprocess=" + java.getPid()
                + "\nstarted=" + Instant.ofEpochMilli(java.getStartTime())
                + "\njava=" + System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version")
                + "\nsystem=" + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch")
                + "\nuser=" + System.getProperty("user.name")
                + "\nprocessors=" + memory.availableProcessors()
                + "\nheap.max=" + memory.maxMemory()
                + "\nheap.used=" + (memory.totalMemory() - memory.freeMemory())
                + "\n";
    }

    /** All threads by name, with what each waits for. */
    static String stacks() {
        StringBuilder text = new StringBuilder();
        ThreadInfo[] threads = ManagementFactory.getThreadMXBean().dumpAllThreads(true, false);
        Arrays.sort(threads, Comparator.comparing(ThreadInfo::getThreadName));
        for (ThreadInfo thread : threads) {
            append(text, thread);
        }
        return text.toString();
    }

    private static void append(StringBuilder text, ThreadInfo thread) {
        text.append('"').append(thread.getThreadName()).append("\" ").append(thread.getThreadState());
        LockInfo lock = thread.getLockInfo();
        if (lock != null) {
            text.append(" for ").append(lock);
        }
        if (thread.getLockOwnerName() != null) {
            text.append(" of \"").append(thread.getLockOwnerName()).append('"');
        }
        text.append('\n');
        for (StackTraceElement frame : thread.getStackTrace()) {
            text.append("    at ").append(frame).append('\n');
        }
        text.append('\n');
    }
}
