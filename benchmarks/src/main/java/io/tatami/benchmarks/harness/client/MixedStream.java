package io.tatami.benchmarks.harness.client;

import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** One stream of a {@link StreamMix}. Used once, by one thread. */
final class MixedStream {
    private static final int FILES_AT_ONCE = 2;

    private final StreamMix mix;
    private final FileSystem fs;
    private final int client;
    private final int callBytes;
    private final long beginNanos = System.nanoTime();
    private long bytes;
    private long longestCallNanos;

    MixedStream(StreamMix mix, FileSystem fs, int client, int callBytes) {
        this.mix = mix;
        this.fs = fs;
        this.client = client;
        this.callBytes = callBytes;
    }

    StreamTally run() throws IOException {
        boolean isReader = mix.isReader(client);
        if (isReader) {
            read();
        } else {
            write();
        }
        return new StreamTally(isReader, bytes, System.nanoTime() - beginNanos, longestCallNanos);
    }

    private void read() throws IOException {
        byte[] content = new byte[callBytes];
        // Where there are more readers than files, some read the same.
        int first = mix.readersBelow(client) % mix.files();
        int file = first;
        do {
            long callBegin = System.nanoTime();
            try (FSDataInputStream in = fs.open(new Path(mix.source(), "file-" + file))) {
                for (int count = in.read(content); count >= 0; count = isOver() ? -1 : in.read(content)) {
                    bytes += count;
                    callBegin = endCall(callBegin);
                }
            }
            endCall(callBegin);
            file = file + mix.readers() < mix.files() ? file + mix.readers() : first;
        } while (!isOver());
    }

    private void write() throws IOException {
        SplittableRandom random = new SplittableRandom(client);
        byte[] content = new byte[2 * callBytes];
        random.nextBytes(content);
        int file = 0;
        do {
            long callBegin = System.nanoTime();
            try (FSDataOutputStream out = fs.create(new Path(mix.target(), "writer-" + client + "-" + file), true)) {
                long left = mix.fileBytes();
                do {
                    int count = (int) Math.min(callBytes, left);
                    out.write(content, random.nextInt(callBytes), count);
                    bytes += count;
                    left -= count;
                    callBegin = endCall(callBegin);
                } while (left > 0 && !isOver());
            }
            endCall(callBegin);
            file = (file + 1) % FILES_AT_ONCE;
        } while (!isOver());
    }

    private boolean isOver() {
        return System.nanoTime() - beginNanos >= TimeUnit.SECONDS.toNanos(mix.seconds());
    }

    /** Opening and closing belong to a call, too. */
    private long endCall(long callBeginNanos) {
        long now = System.nanoTime();
        longestCallNanos = Math.max(longestCallNanos, now - callBeginNanos);
        return now;
    }
}
