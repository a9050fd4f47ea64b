package io.tatami.benchmarks.workload.affinity;

import io.tatami.benchmarks.harness.host.LinkBytes;
import io.tatami.server.lab.host.NetworkNamespace;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeSet;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * What the tasks of a job do: each reads one file of one block to its end, or writes one.
 *
 * @param tasks numbered from 0
 * @param bytes of each file; whole MiB
 * @param isLocated whether readers tell the scheduler where their bytes are
 */
record AffinityWork(AffinityKind kind, int tasks, int copies, long bytes, boolean isLocated, long seed) {
    static final Path DIRECTORY = new Path("/affinity");

    private static final int CHUNK_BYTES = 1 << 20;
    private static final int STREAM_BUFFER_BYTES = 4_096;

    /** Told of each MiB. */
    interface Watcher {
        void movedOn();
    }

    static AffinityWork parse(String text) {
        String[] words = text.split("/", -1);
        return new AffinityWork(
                AffinityKind.valueOf(words[0]),
                Integer.parseInt(words[1]),
                Integer.parseInt(words[2]),
                Long.parseLong(words[3]),
                Boolean.parseBoolean(words[4]),
                Long.parseLong(words[5]));
    }

    /** One word, as {@link #parse} reads it. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s/%d/%d/%d/%s/%d", kind.name(), tasks, copies, bytes, isLocated, seed);
    }

    private Path file(int number) {
        return new Path(DIRECTORY, kind == AffinityKind.READ ? "input-" + number : "output-" + number);
    }

    /** Of a reader's file; none of a writer's. */
    List<String> hosts(FileSystem fs, int number) throws IOException {
        if (kind != AffinityKind.READ) {
            return List.of();
        }
        FileStatus status = fs.getFileStatus(file(number));
        TreeSet<String> hosts = new TreeSet<>();
        for (BlockLocation block : fs.getFileBlockLocations(status, 0, status.getLen())) {
            hosts.addAll(Arrays.asList(block.getHosts()));
        }
        return List.copyOf(hosts);
    }

    /** Does a task's work, in this process. */
    AffinityTask run(FileSystem fs, int number, List<String> hosts, String node, long grantedMillis, Watcher watcher)
            throws IOException {
        LinkBytes before = LinkBytes.now(NetworkNamespace.DEVICE);
        AffinityTask.Span span = AffinityTask.Span.begun();
        if (kind == AffinityKind.READ) {
            read(fs, number, watcher);
        } else {
            write(fs, number, watcher);
        }
        AffinityTask.Span ended = span.ended();
        LinkBytes carried = LinkBytes.now(NetworkNamespace.DEVICE).since(before);
        return new AffinityTask(number, node, hosts, grantedMillis, bytes, carried, ended);
    }

    private void read(FileSystem fs, int number, Watcher watcher) throws IOException {
        byte[] chunk = new byte[CHUNK_BYTES];
        long done = 0;
        try (FSDataInputStream in = fs.open(file(number))) {
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                done += read;
                watcher.movedOn();
            }
        }
        if (done != bytes) {
            throw new FileNotFoundException(file(number) + " has " + done + " bytes, not " + bytes);
        }
    }

    /** Writes a task's file, whose first copy is on this node. */
    void write(FileSystem fs, int number, Watcher watcher) throws IOException {
        byte[] chunk = new byte[CHUNK_BYTES];
        new Random(number).nextBytes(chunk);
        try (FSDataOutputStream out = fs.create(file(number), true, STREAM_BUFFER_BYTES, (short) copies, bytes)) {
            for (long done = 0; done < bytes; done += CHUNK_BYTES) {
                out.write(chunk);
                watcher.movedOn();
            }
        }
    }
}
