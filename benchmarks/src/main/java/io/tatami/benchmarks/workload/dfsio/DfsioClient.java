package io.tatami.benchmarks.workload.dfsio;

import io.tatami.benchmarks.harness.host.WorkerProcess;
import io.tatami.benchmarks.harness.peer.Peer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** The client JVM of one peer in one round; its jobs run in Hadoop's local runner. Owned by one thread. */
final class DfsioClient implements AutoCloseable {
    /** In how many bytes TestDFSIO calls write and read; the same for both peers. */
    private static final int CALL_BYTES = 1 << 20;

    private final int files;
    private final WorkerProcess worker;

    /**
     * What TestDFSIO reported.
     *
     * @param mapSeconds its maps' times, added up: bytes by this is its "Throughput"
     * @param jobSeconds the job as a whole, closing of the files included
     * @param cpuSeconds of this JVM
     */
    record Outcome(double mapSeconds, double jobSeconds, double cpuSeconds) {}

    DfsioClient(Peer peer, int files, Path directory) throws IOException {
        this.files = files;
        Configuration configuration = new Configuration(peer.configuration());
        configuration.set("mapreduce.framework.name", "local");
        configuration.setInt("mapreduce.local.map.tasks.maximum", files);
        configuration.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
        this.worker = new WorkerProcess(
                DfsioWorker.class,
                "1g",
                configuration,
                directory,
                directory.resolve("report").toString());
        worker.awaitReady();
    }

    /** Runs {@code -write} or {@code -read} over files of {@code mebibytes} each. */
    Outcome run(String direction, int mebibytes) throws IOException {
        return run("-" + direction + " -nrFiles " + files + " -size " + mebibytes + "MB -bufferSize " + CALL_BYTES);
    }

    /** Removes what the runs wrote. */
    void clean() throws IOException {
        run("-clean");
    }

    private Outcome run(String line) throws IOException {
        double cpuBegin = worker.cpuSeconds();
        worker.tell(line);
        List<String> words = worker.awaitDone();
        return new Outcome(
                Double.parseDouble(words.get(0)), Double.parseDouble(words.get(1)), worker.cpuSeconds() - cpuBegin);
    }

    @Override
    public void close() {
        worker.close();
    }
}
