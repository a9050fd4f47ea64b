package io.tatami.benchmarks.workload.meta;

import io.tatami.benchmarks.harness.client.ClientGroup;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * One JVM of clients. Told what to do by lines, so that several workers begin together: {@code OPERATION DIRECTORY
 * SECONDS COUNT SHARED}: each client does it up to {@code COUNT} times and for up to {@code SECONDS}, to the files that
 * it made in that directory before. Answers {@code OPERATIONS NANOS CPU_NANOS}, the time being that of the slowest
 * client.
 */
public final class MetaWorker {
    private final ClientGroup<FileSystem> clients;

    /** By directory, operation and client: how many it did there. */
    private final Map<String, Integer> done = new ConcurrentHashMap<>();

    private MetaWorker(ClientGroup<FileSystem> clients) {
        this.clients = clients;
    }

    /** Arguments: the number of the first client, how many, and the file systems that the clients take in turn. */
    public static void main(String[] arguments) throws Exception {
        List<URI> fileSystems =
                Arrays.stream(arguments).skip(2).map(URI::create).toList();
        try (ClientGroup<FileSystem> clients = ClientGroup.ofFileSystems(
                Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]), fileSystems)) {
            clients.serve(new MetaWorker(clients)::run);
        }
    }

    private String run(String[] words) throws InterruptedException, ExecutionException {
        MetaOperation operation = MetaOperation.valueOf(words[0]);
        long limitNanos = TimeUnit.SECONDS.toNanos(Long.parseLong(words[2]));
        int count = Integer.parseInt(words[3]);
        boolean shared = Boolean.parseBoolean(words[4]);
        long cpu = cpuNanos();
        long begin = System.nanoTime();
        List<Long> counts = clients.run(Integer.MAX_VALUE, (fs, client) -> {
            Path directory = new Path(shared ? words[1] : words[1] + "/c" + client);
            int base = shared ? client * count : 0;
            String place = words[1] + " " + client + " ";
            MetaOperation source = operation.source();
            int files = source == null ? count : done.getOrDefault(place + source, 0);
            return runClient(operation, fs, directory, base, files, place, begin + limitNanos);
        });
        long wall = System.nanoTime() - begin;
        long operations = counts.stream().mapToLong(Long::longValue).sum();
        return operations + " " + wall + " " + (cpuNanos() - cpu);
    }

    /** Goes through {@code files} files, again and again where that is possible, until the time is over. */
    private long runClient(
            MetaOperation operation,
            FileSystem fs,
            Path directory,
            int base,
            int files,
            String place,
            long deadlineNanos)
            throws IOException {
        long counted = 0;
        int times = 0;
        while (files > 0 && (times < files || operation.canRepeat()) && System.nanoTime() < deadlineNanos) {
            counted += operation.run(fs, directory, base + times % files);
            times++;
        }
        done.put(place + operation, times);
        return counted;
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
