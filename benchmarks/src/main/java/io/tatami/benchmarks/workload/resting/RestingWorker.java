package io.tatami.benchmarks.workload.resting;

import io.tatami.benchmarks.harness.client.ClientGroup;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * One JVM of resting writers. Told what to do by the lines {@code open COUNT} and {@code end}, and answers when all its
 * writers have done it.
 */
public final class RestingWorker {
    static final String OPEN = "open";
    static final String END = "end";

    private RestingWorker() {}

    /** Arguments: the number of the first client and how many there are, of which each has as many writers as told. */
    public static void main(String[] arguments) throws Exception {
        int first = Integer.parseInt(arguments[0]);
        Map<Integer, RestingWriters> resting = new ConcurrentHashMap<>();
        try (ClientGroup<FileSystem> clients = ClientGroup.ofFileSystems(first, Integer.parseInt(arguments[1]))) {
            clients.serve(words -> {
                List<Boolean> done = clients.run(Integer.MAX_VALUE, (fs, client) -> {
                    RestingWriters writers = resting.computeIfAbsent(
                            client, number -> new RestingWriters(fs, new Path("/resting-" + number)));
                    if (words[0].equals(OPEN)) {
                        writers.open(Integer.parseInt(words[1]));
                    } else {
                        writers.end();
                    }
                    return true;
                });
                return Integer.toString(done.size());
            });
        }
    }
}
