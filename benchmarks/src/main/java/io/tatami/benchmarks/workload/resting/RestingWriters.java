package io.tatami.benchmarks.workload.resting;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Files that stay open after some bytes were flushed, as logs do. */
final class RestingWriters {
    private static final int AT_ONCE = 16;
    private static final int BYTES = 64 << 10;
    private static final int LAST_BYTES = 100;

    /** Room is kept for a block that is open: 4,096 of 256 MiB would need a terabyte. */
    private static final long BLOCK_BYTES = 1 << 20;

    private final FileSystem fs;
    private final Path directory;
    private final List<FSDataOutputStream> open = new ArrayList<>();

    RestingWriters(FileSystem fs, Path directory) {
        this.fs = fs;
        this.directory = directory;
    }

    /** A step with one writer. */
    private interface Step {
        void run(int number) throws IOException;
    }

    private static void each(int count, Step step) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<Future<?>> work = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int number = i;
                work.add(threads.submit(() -> {
                    step.run(number);
                    return null;
                }));
            }
            for (Future<?> part : work) {
                part.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private Path file(int number) {
        return new Path(directory, "log-" + number);
    }

    /** Opens the files, and flushes 64 KiB in each. */
    void open(int count) throws Exception {
        byte[] bytes = new byte[BYTES];
        FSDataOutputStream[] opened = new FSDataOutputStream[count];
        each(count, number -> {
            FSDataOutputStream out = fs.createFile(file(number))
                    .recursive()
                    .overwrite(true)
                    .blockSize(BLOCK_BYTES)
                    .build();
            opened[number] = out;
            out.write(bytes);
            out.hflush();
        });
        open.addAll(List.of(opened));
    }

    /** Each one still writes: some bytes more, and its file is closed and has all of them. */
    void end() throws Exception {
        byte[] bytes = new byte[LAST_BYTES];
        each(open.size(), number -> {
            try (FSDataOutputStream out = open.get(number)) {
                out.write(bytes);
                out.hflush();
            }
            long length = fs.getFileStatus(file(number)).getLen();
            if (length != BYTES + LAST_BYTES) {
                throw new IOException(file(number) + " has " + length + " bytes");
            }
        });
        open.clear();
        fs.delete(directory, true);
    }
}
