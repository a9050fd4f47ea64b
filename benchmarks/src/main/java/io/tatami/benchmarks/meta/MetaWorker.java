package io.tatami.benchmarks.meta;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * One JVM of clients, each with a file system object of its own. Told what to do by lines on its standard input, so that
 * several workers begin together: {@code OPERATION DIRECTORY SECONDS COUNT SHARED}: each client does it up to {@code COUNT}
 * times and for up to {@code SECONDS}, to the files that it made in that directory before. Answers with
 * {@code done OPERATIONS NANOS CPU_NANOS}, the time being that of the slowest client.
 */
public final class MetaWorker {
    private final List<FileSystem> clients = new ArrayList<>();
    private final ExecutorService threads;
    private final int firstClient;

    /** By directory, operation and client: how many it did there. */
    private final Map<String, Integer> done = new ConcurrentHashMap<>();

    private MetaWorker(Configuration configuration, int firstClient, int count) throws IOException {
        this.firstClient = firstClient;
        // Daemons: what fails ends this process, and with it the wait of whoever told it to work.
        this.threads = Executors.newFixedThreadPool(count, task -> {
            Thread thread = new Thread(task, "client");
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 0; i < count; i++) {
            clients.add(FileSystem.newInstance(FileSystem.getDefaultUri(configuration), configuration));
        }
    }

    /** Arguments: the number of the first client and how many; the configuration is on the class path. */
    public static void main(String[] arguments) throws Exception {
        int first = Integer.parseInt(arguments[0]);
        int count = Integer.parseInt(arguments[1]);
        MetaWorker worker = new MetaWorker(new Configuration(), first, count);
        System.out.println("ready");
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            System.out.println(worker.run(line.split(" ", -1)));
        }
        worker.close();
    }

    private String run(String[] words) throws InterruptedException, ExecutionException {
        MetaOperation operation = MetaOperation.valueOf(words[0]);
        long limitNanos = TimeUnit.SECONDS.toNanos(Long.parseLong(words[2]));
        int count = Integer.parseInt(words[3]);
        boolean shared = Boolean.parseBoolean(words[4]);
        long cpu = cpuNanos();
        long begin = System.nanoTime();
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            int client = firstClient + i;
            FileSystem fs = clients.get(i);
            Path directory = new Path(shared ? words[1] : words[1] + "/c" + client);
            int base = shared ? client * count : 0;
            String place = words[1] + " " + client + " ";
            tasks.add(() -> {
                MetaOperation source = operation.source();
                int files = source == null ? count : done.getOrDefault(place + source, 0);
                return runClient(operation, fs, directory, base, files, place, begin + limitNanos);
            });
        }
        List<Future<Long>> results = threads.invokeAll(tasks);
        long wall = System.nanoTime() - begin;
        long operations = 0;
        for (Future<Long> result : results) {
            operations += result.get();
        }
        return "done " + operations + " " + wall + " " + (cpuNanos() - cpu);
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

    private void close() throws IOException {
        threads.shutdown();
        for (FileSystem client : clients) {
            client.close();
        }
    }
}
