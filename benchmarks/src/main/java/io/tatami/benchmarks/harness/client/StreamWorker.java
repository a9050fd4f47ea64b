package io.tatami.benchmarks.harness.client;

import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * One JVM of clients that write or read whole files from the first byte to the last. Told what to do by lines:
 *
 * <ul>
 *   <li>{@code write|read|list DIRECTORY STREAMS FILES BYTES}: the clients whose numbers are below {@code STREAMS}
 *       share the files evenly and do theirs one after the other, or each list all files. Answers {@code NANOS}, the
 *       time of the slowest client until its last file was closed.
 *   <li>a {@link StreamMix}; answers with a {@link StreamTally} for each stream.
 * </ul>
 */
public final class StreamWorker {
    private final ClientGroup<FileSystem> clients;
    private final int callBytes;

    private StreamWorker(ClientGroup<FileSystem> clients, int callBytes) {
        this.clients = clients;
        this.callBytes = callBytes;
    }

    /** Arguments: the number of the first client, how many, and the bytes of each call of read and write. */
    public static void main(String[] arguments) throws Exception {
        try (ClientGroup<FileSystem> clients =
                ClientGroup.ofFileSystems(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]))) {
            StreamWorker worker = new StreamWorker(clients, Integer.parseInt(arguments[2]));
            clients.serve(worker::run);
        }
    }

    private String run(String[] words) throws Exception {
        if (words[0].equals("mix")) {
            StreamMix mix = StreamMix.parse(words);
            List<StreamTally> tallies =
                    clients.run(mix.streams(), (fs, client) -> new MixedStream(mix, fs, client, callBytes).run());
            return tallies.stream().map(StreamTally::toString).collect(Collectors.joining(" "));
        }
        int streams = Integer.parseInt(words[2]);
        int files = Integer.parseInt(words[3]);
        long bytes = Long.parseLong(words[4]);
        long begin = System.nanoTime();
        clients.run(streams, (fs, client) -> {
            switch (words[0]) {
                case "write" -> write(fs, words[1], bytes, client, streams, files);
                case "read" -> read(fs, words[1], bytes, client, streams, files);
                case "list" -> list(fs, words[1], bytes, files);
                default -> throw new IllegalArgumentException(String.join(" ", words));
            }
            return client;
        });
        return Long.toString(System.nanoTime() - begin);
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
