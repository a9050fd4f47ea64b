package io.tatami.benchmarks.clients;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * One JVM of clients, each with a file system object of its own, that write or read whole files from the first byte to the
 * last. Told what to do by lines on its standard input: {@code write|read|list DIRECTORY STREAMS FILES BYTES}: the clients
 * whose numbers are below {@code STREAMS} share the files evenly and do theirs one after the other, or each list all files.
 * Answers with {@code done NANOS}, the time of the slowest client until its last file was closed.
 */
public final class StreamWorker {
    private final List<FileSystem> clients = new ArrayList<>();
    private final ExecutorService threads;
    private final int firstClient;
    private final int callBytes;

    private StreamWorker(Configuration configuration, int firstClient, int count, int callBytes) throws IOException {
        this.firstClient = firstClient;
        this.callBytes = callBytes;
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

    /**
     * Arguments: the number of the first client, how many, and the bytes of each call of read and write; the
     * configuration is on the class path.
     */
    public static void main(String[] arguments) throws Exception {
        StreamWorker worker = new StreamWorker(
                new Configuration(),
                Integer.parseInt(arguments[0]),
                Integer.parseInt(arguments[1]),
                Integer.parseInt(arguments[2]));
        System.out.println("ready");
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            System.out.println(worker.run(line.split(" ", -1)));
        }
    }

    private String run(String[] words) throws InterruptedException, ExecutionException {
        int streams = Integer.parseInt(words[2]);
        int files = Integer.parseInt(words[3]);
        long bytes = Long.parseLong(words[4]);
        List<Future<?>> running = new ArrayList<>();
        long begin = System.nanoTime();
        for (int i = 0; i < clients.size() && firstClient + i < streams; i++) {
            FileSystem fs = clients.get(i);
            int client = firstClient + i;
            running.add(threads.submit(() -> {
                switch (words[0]) {
                    case "write" -> write(fs, words[1], bytes, client, streams, files);
                    case "read" -> read(fs, words[1], bytes, client, streams, files);
                    case "list" -> list(fs, words[1], bytes, files);
                    default -> throw new IllegalArgumentException(String.join(" ", words));
                }
                return null;
            }));
        }
        for (Future<?> stream : running) {
            stream.get();
        }
        return "done " + (System.nanoTime() - begin);
    }

    /** Random bytes, each call's taken from elsewhere in what was drawn: no two calls give the disk the same. */
    private void write(FileSystem fs, String directory, long bytes, int client, int streams, int files)
            throws IOException {
        SplittableRandom random = new SplittableRandom(client);
        byte[] content = new byte[2 * callBytes];
        random.nextBytes(content);
        for (int file = client; file < files; file += streams) {
            try (FSDataOutputStream out = fs.create(file(directory, file), true)) {
                for (long written = 0; written < bytes; written += callBytes) {
                    out.write(content, random.nextInt(callBytes), (int) Math.min(callBytes, bytes - written));
                }
            }
        }
    }

    private void read(FileSystem fs, String directory, long bytes, int client, int streams, int files)
            throws IOException {
        byte[] content = new byte[callBytes];
        for (int file = client; file < files; file += streams) {
            long read = 0;
            try (FSDataInputStream in = fs.open(file(directory, file))) {
                for (int count = in.read(content); count >= 0; count = in.read(content)) {
                    read += count;
                }
            }
            requireLength(file(directory, file), read, bytes);
        }
    }

    private static void list(FileSystem fs, String directory, long bytes, int files) throws IOException {
        FileStatus[] found = fs.listStatus(new Path(directory));
        if (found.length != files) {
            throw new IOException(directory + " has " + found.length + " files instead of " + files);
        }
        for (FileStatus status : found) {
            requireLength(status.getPath(), status.getLen(), bytes);
        }
    }

    private static Path file(String directory, int number) {
        return new Path(directory, "file-" + number);
    }

    private static void requireLength(Path path, long found, long bytes) throws EOFException {
        if (found != bytes) {
            throw new EOFException(path + " has " + found + " bytes instead of " + bytes);
        }
    }
}
