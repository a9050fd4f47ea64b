package io.tatami.benchmarks.workload.heal;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;

/** Readers of whole files in random order, who together read no faster than a rate. */
final class ReadLoad {
    private static final int CHUNK_BYTES = 1 << 20;

    private final FileSystem fs;
    private final AtomicLong bytes = new AtomicLong();

    ReadLoad(FileSystem fs) {
        this.fs = fs;
    }

    /** They go on until the process ends. */
    void begin(FileStatus[] files, int readers, long bytesPerSecond) {
        for (int reader = 0; reader < readers; reader++) {
            Random random = new Random(reader);
            Thread thread = new Thread(() -> read(files, random, bytesPerSecond / readers), "reader " + reader);
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void read(FileStatus[] files, Random random, long bytesPerSecond) {
        byte[] chunk = new byte[CHUNK_BYTES];
        long nextNanos = System.nanoTime();
        try {
            while (true) {
                try (FSDataInputStream in = fs.open(files[random.nextInt(files.length)].getPath())) {
                    for (int got = in.read(chunk); got >= 0; got = in.read(chunk)) {
                        bytes.addAndGet(got);
                        nextNanos += TimeUnit.SECONDS.toNanos(1) * got / bytesPerSecond;
                        nextNanos = pause(nextNanos);
                    }
                } catch (IOException e) {
                    System.err.println("a reader failed: " + e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Until a time; what was missed is not made up for. */
    private static long pause(long untilNanos) throws InterruptedException {
        long ahead = untilNanos - System.nanoTime();
        if (ahead <= 0) {
            return System.nanoTime();
        }
        TimeUnit.NANOSECONDS.sleep(ahead);
        return untilNanos;
    }

    long bytes() {
        return bytes.get();
    }
}
