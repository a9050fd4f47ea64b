package io.tatami.benchmarks.harness.host;

import io.tatami.server.lab.host.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The kernel's cache of files, to be written out and emptied between measurements. */
public final class PageCache {
    private static final Path DROP = Path.of("/proc/sys/vm/drop_caches");

    private PageCache() {}

    /** Whether this process may empty it, which root may. */
    public static boolean canBeDropped() {
        return Files.isWritable(DROP);
    }

    /** Writes the file system of {@code path} out and returns the seconds that took. */
    public static double sync(Path path) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Program.run("sync", "--file-system", path.toString());
        return (System.nanoTime() - begin) / 1e9;
    }

    /** Writes all file systems out. */
    public static void syncAll() throws IOException, InterruptedException {
        Program.run("sync");
    }

    /** Empties it; what was not written out before stays. */
    public static void drop() throws IOException {
        Files.writeString(DROP, "3");
    }
}
