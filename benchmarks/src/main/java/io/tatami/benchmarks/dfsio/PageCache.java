package io.tatami.benchmarks.dfsio;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The kernel's cache of files, to be written out and emptied between measurements. */
final class PageCache {
    private static final Path DROP = Path.of("/proc/sys/vm/drop_caches");
    private static final long LIMIT_SECONDS = 300;

    private PageCache() {}

    /** Whether this process may empty it, which root may. */
    static boolean canBeDropped() {
        return Files.isWritable(DROP);
    }

    /** Writes the file system of {@code path} out and returns the seconds that took. */
    static double sync(Path path) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Process process = new ProcessBuilder("sync", "--file-system", path.toString()).start();
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IOException("sync of " + path + " failed");
        }
        return (System.nanoTime() - begin) / 1e9;
    }

    /** Empties it; what was not written out before stays. */
    static void drop() throws IOException {
        Files.writeString(DROP, "3");
    }
}
