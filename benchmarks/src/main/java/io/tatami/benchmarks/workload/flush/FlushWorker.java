package io.tatami.benchmarks.workload.flush;

import io.tatami.benchmarks.harness.client.ClientGroup;
import io.tatami.benchmarks.harness.report.Latencies;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * One JVM of writers that each keep one file open, append a record, flush it, and go on. Told what to do by lines
 * {@code CALL DIRECTORY WRITERS RECORD_BYTES MILLIS}, the call being a {@link FlushCall}; answers {@code RECORDS
 * MILLIS_50 MILLIS_99 MILLIS_MAX}: how many records were flushed, and how long the record and its flush took. Each file
 * is closed and its length looked at before the answer.
 */
public final class FlushWorker {
    private FlushWorker() {}

    /** Argument: the number of writers there are at most. */
    public static void main(String[] arguments) throws Exception {
        try (ClientGroup<FileSystem> clients = ClientGroup.ofFileSystems(0, Integer.parseInt(arguments[0]))) {
            clients.serve(words -> run(clients, words));
        }
    }

    private static String run(ClientGroup<FileSystem> clients, String[] words) throws Exception {
        FlushCall call = FlushCall.valueOf(words[0]);
        int recordBytes = Integer.parseInt(words[3]);
        long nanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(words[4]));
        List<Latencies> ofWriters = clients.run(
                Integer.parseInt(words[2]),
                (fs, client) -> write(fs, new Path(words[1], "log-" + client), call, recordBytes, nanos));
        Latencies all = new Latencies();
        ofWriters.forEach(all::addAll);
        return all.count() + " " + all.millis(50) + " " + all.millis(99) + " " + all.millis(100);
    }

    private static Latencies write(FileSystem fs, Path file, FlushCall call, int recordBytes, long nanos)
            throws IOException {
        byte[] record = new byte[recordBytes];
        new SplittableRandom(recordBytes).nextBytes(record);
        Latencies latencies = new Latencies();
        try (FSDataOutputStream out = fs.create(file, true)) {
            long begin = System.nanoTime();
            long now = begin;
            while (now - begin < nanos) {
                out.write(record);
                call.flush(out);
                long then = System.nanoTime();
                latencies.add(then - now);
                now = then;
            }
        }
        long length = fs.getFileStatus(file).getLen();
        if (length != (long) latencies.count() * recordBytes) {
            throw new IOException(file + " has " + length + " bytes after " + latencies.count() + " records");
        }
        return latencies;
    }
}
