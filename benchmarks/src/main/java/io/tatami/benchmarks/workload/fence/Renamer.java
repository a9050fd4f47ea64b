package io.tatami.benchmarks.workload.fence;

import io.tatami.benchmarks.harness.report.Latencies;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.TatamiPath;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Renames one directory to and fro. Used by one thread at a time. */
final class Renamer {
    private final TatamiClient client;
    private TatamiPath here;
    private TatamiPath there;

    /** @param here the directory; its parent has no other entry of the name {@code there} */
    Renamer(TatamiClient client, TatamiPath here) throws IOException {
        this.client = client;
        this.here = here;
        this.there = here.parent().child("there");
    }

    /** @return how long it took, in nanoseconds */
    long rename() throws IOException {
        long begin = System.nanoTime();
        client.rename(here, there, false);
        long nanos = System.nanoTime() - begin;
        TatamiPath before = here;
        here = there;
        there = before;
        return nanos;
    }

    Latencies renameFor(int seconds) throws IOException {
        Latencies latencies = new Latencies();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < deadline) {
            latencies.add(rename());
        }
        return latencies;
    }
}
