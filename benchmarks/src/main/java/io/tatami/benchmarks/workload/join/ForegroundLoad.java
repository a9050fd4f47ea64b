package io.tatami.benchmarks.workload.join;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Clients that go on while a server joins: half of them write files, the others read files that are there, each no
 * faster than a rate. Closing waits for them.
 */
final class ForegroundLoad implements AutoCloseable {
    private static final int CALL_BYTES = 1 << 20;
    private static final int FILE_CALLS = 4;

    /** Of each writer; the oldest goes when there are more. */
    private static final int FILES_MAX = 8;

    private final FileSystem fs;
    private final List<Path> files;
    private final long bytesPerSecond;
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong read = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ends;

    /**
     * Begins.
     *
     * @param directory for what is written
     * @param files what is read; each has 1 MiB at the least
     * @param clients a writer and a reader of each two
     * @param bytesPerSecond of each
     */
    ForegroundLoad(FileSystem fs, Path directory, List<Path> files, int clients, long bytesPerSecond) {
        this.fs = fs;
        this.files = List.copyOf(files);
        this.bytesPerSecond = bytesPerSecond;
        for (int client = 0; client < clients; client++) {
            Path own = new Path(directory, "writer-" + client);
            Random random = new Random(client);
            boolean writes = client % 2 == 0;
            Thread thread = new Thread(() -> goOn(writes, own, random), (writes ? "writer " : "reader ") + client);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
    }

    /** What was done so far. */
    record Done(long writtenBytes, long readBytes, long nanos) {}

    Done done() {
        return new Done(written.get(), read.get(), System.nanoTime());
    }

    /** Operations that failed; they are told on the error stream. */
    long failures() {
        return failures.get();
    }

    private void goOn(boolean writes, Path own, Random random) {
        byte[] call = new byte[CALL_BYTES];
        random.nextBytes(call);
        try {
            for (int turn = 0; !ends; turn++) {
                try {
                    if (writes) {
                        write(own, turn, call);
                    } else {
                        read(random, call);
                    }
                } catch (IOException e) {
                    failures.incrementAndGet();
                    System.err.println(Thread.currentThread().getName() + " failed: " + e);
                    TimeUnit.SECONDS.sleep(1);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(Path own, int turn, byte[] call) throws IOException, InterruptedException {
        try (FSDataOutputStream out = fs.create(new Path(own, Integer.toString(turn)))) {
            for (int i = 0; i < FILE_CALLS; i++) {
                long beganNanos = System.nanoTime();
                out.write(call);
                written.addAndGet(call.length);
                pause(beganNanos);
            }
        }
        boolean unused = fs.delete(new Path(own, Integer.toString(turn - FILES_MAX)), false);
    }

    private void read(Random random, byte[] call) throws IOException, InterruptedException {
        Path file = files.get(random.nextInt(files.size()));
        try (FSDataInputStream in = fs.open(file)) {
            long places = fs.getFileStatus(file).getLen() / CALL_BYTES;
            for (int i = 0; i < FILE_CALLS; i++) {
                long beganNanos = System.nanoTime();
                in.readFully(random.nextLong(places) * CALL_BYTES, call);
                read.addAndGet(call.length);
                pause(beganNanos);
            }
        }
    }

    /** Until the time that a call takes at the rate is over. */
    private void pause(long beganNanos) throws InterruptedException {
        long left = beganNanos + TimeUnit.SECONDS.toNanos(CALL_BYTES) / bytesPerSecond - System.nanoTime();
        if (left > 0) {
            TimeUnit.NANOSECONDS.sleep(left);
        }
    }

    /** An interrupt ends the wait, and is kept. */
    @Override
    public void close() {
        ends = true;
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
