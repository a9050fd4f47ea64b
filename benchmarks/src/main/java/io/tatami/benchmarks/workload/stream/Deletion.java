package io.tatami.benchmarks.workload.stream;

import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.report.Results;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Deletes, and waits until the servers have: what they still do would be in the next figure. */
final class Deletion {
    private static final long LIMIT_SECONDS = 120;
    private static final long POLL_MILLIS = 200;

    private Deletion() {}

    /** Deletes a directory after which the peer holds {@code restBytes} or less. */
    static void of(Peer peer, String directory, long restBytes, Results results)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        try (FileSystem fs = FileSystem.newInstance(peer.configuration())) {
            fs.delete(new Path(directory), true);
            while (fs.getStatus().getUsed() > restBytes) {
                if (System.nanoTime() - deadline > 0) {
                    results.remark(peer.name() + " had not freed what was deleted when the next measurement began");
                    return;
                }
                Thread.sleep(POLL_MILLIS);
            }
        }
    }
}
