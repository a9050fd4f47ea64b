package io.tatami.benchmarks.workload.fence;

import io.tatami.benchmarks.harness.client.CreateLoad;
import io.tatami.benchmarks.harness.client.CreateRate;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.MetadataCluster;
import io.tatami.benchmarks.harness.report.Latencies;
import io.tatami.server.lab.host.Program;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What is measured of one cluster under its load. Used by one thread. */
final class FenceSetting {
    private final Place place;
    private final FenceOptions options;
    private final Renamer renamer;
    private final CreateLoad load;

    /**
     * The cluster.
     *
     * @param processes the namespace group's first
     */
    record Place(int round, MetadataCluster.Shape shape, List<ProcessHandle> processes) {}

    /**
     * One part of it.
     *
     * @param renames how long they took; none where nothing was renamed
     * @param createsPerSecond in directories of all servers that were not paused; null where that was not looked at
     * @param onPausedPerSecond in directories of the one that was; null where none was
     */
    record Part(
            String name,
            Latencies renames,
            @Nullable Double createsPerSecond,
            @Nullable Double onPausedPerSecond) {}

    /** Hears what was measured. */
    @FunctionalInterface
    interface Recorder {
        void record(Place place, Part part);
    }

    FenceSetting(Place place, FenceOptions options, Renamer renamer, CreateLoad load) {
        this.place = place;
        this.options = options;
        this.renamer = renamer;
        this.load = load;
    }

    void measure(Undo undo, Recorder recorder) throws Exception {
        renamer.renameFor(options.warmUpSeconds);
        CreateRate alone = begin();
        Thread.sleep(TimeUnit.SECONDS.toMillis(options.seconds));
        recorder.record(
                place, new Part("creates alone", new Latencies(), alone.end().all(), null));
        CreateRate beside = begin();
        Latencies renames = renamer.renameFor(options.seconds);
        recorder.record(place, new Part("renames", renames, beside.end().all(), null));
        undo.add(this::goOn);
        for (int millis : options.pauseMillis) {
            pauseInTurn(millis, recorder);
        }
    }

    private CreateRate begin() throws IOException, InterruptedException {
        return CreateRate.begin(load, place.shape().servers());
    }

    private void pauseInTurn(int millis, Recorder recorder) throws Exception {
        Latencies whole = new Latencies();
        Latencies afterwards = new Latencies();
        double elsewhere = 0;
        double onPaused = 0;
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            for (int pause = 0; pause < options.pauses; pause++) {
                int server = pause % place.shape().servers();
                ProcessHandle process = place.processes().get(1 + server);
                signal("STOP", process);
                Future<Long> rename = thread.submit(renamer::rename);
                CreateRate rate = begin();
                Thread.sleep(millis);
                rate.end();
                requireWaiting(rename);
                long goesOnNanos = System.nanoTime();
                signal("CONT", process);
                whole.add(rename.get());
                afterwards.add(System.nanoTime() - goesOnNanos);
                elsewhere += rate.all() - rate.of(server);
                onPaused += rate.of(server);
            }
        } finally {
            thread.shutdownNow();
            goOn();
        }
        if (options.pauses > 0) {
            String name = "one paused for " + millis + " ms";
            recorder.record(place, new Part(name, whole, elsewhere / options.pauses, onPaused / options.pauses));
            recorder.record(place, new Part(name + " once it goes on", afterwards, null, null));
        }
    }

    private static void requireWaiting(Future<Long> rename) throws Exception {
        if (rename.isDone()) {
            throw new IOException("a rename ended after " + rename.get() / 1_000_000
                    + " ms though a shard was paused all the time: that shard cannot know of it");
        }
    }

    /** Nobody is left paused; those who are gone are passed over. */
    private void goOn() throws IOException, InterruptedException {
        for (ProcessHandle process : place.processes()) {
            if (process.isAlive()) {
                signal("CONT", process);
            }
        }
    }

    private static void signal(String name, ProcessHandle process) throws IOException, InterruptedException {
        Program.run("sh", "-c", "kill -" + name + " " + process.pid());
    }
}
