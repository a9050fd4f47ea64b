package io.tatami.benchmarks.workload.ior;

import io.tatami.benchmarks.harness.client.CommandLines;
import io.tatami.client.meta.LocalHost;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The writers of {@link IorRounds} on one node, whose name is the argument. Its commands are {@code write HOST FIRST
 * WRITERS TRANSFER-BYTES FILE-BYTES BLOCK-BYTES}, where the host is {@code here} or {@code elsewhere}, {@code bytes},
 * {@code delete} and {@code end}.
 */
final class IorClient {
    static final String HERE = "here";
    static final String ELSEWHERE = "elsewhere";

    private static final Path DIRECTORY = new Path("/ior");

    /**
     * A host of several on one machine (see {@link LocalHost}), which no node is: else the node's block server would be
     * known by its address, whatever the name.
     */
    private static final String NO_NODE = "127.0.0.2";

    /**
     * What each stream sends ahead, beside what it fills: 128 of them fit in the memory that {@code NodeProcess} gives
     * a process. A volume that is held to some MiB a second does not wait for more.
     */
    private static final String WINDOW = "1m";

    private final Map<String, FileSystem> byHost;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** Writes one file. */
    private record Job(Path file, byte[] transfer, long fileBytes, long blockBytes) {
        private void run(FileSystem fs) throws IOException {
            try (FSDataOutputStream out = fs.createFile(file)
                    .recursive()
                    .overwrite(true)
                    .blockSize(blockBytes)
                    .build()) {
                for (long written = 0; written < fileBytes; written += transfer.length) {
                    out.write(transfer);
                }
            }
        }
    }

    private IorClient(Map<String, FileSystem> byHost) {
        this.byHost = byHost;
    }

    public static void main(String[] words) throws Exception {
        try (FileSystem here = fileSystem(words[0]);
                FileSystem elsewhere = fileSystem(NO_NODE)) {
            CommandLines.serve(new IorClient(Map.of(HERE, here, ELSEWHERE, elsewhere))::answer);
        }
        System.exit(0);
    }

    private static FileSystem fileSystem(String host) throws IOException {
        Configuration configuration = new Configuration();
        configuration.setInt("tatami.client.replication", 1);
        configuration.set("tatami.client.host", host);
        configuration.set("tatami.client.write.window", WINDOW);
        return FileSystem.newInstance(URI.create(System.getenv("TATAMI_URI")), configuration);
    }

    private String answer(String[] words) throws IOException, InterruptedException, ExecutionException {
        FileSystem fs = byHost.get(words.length > 1 ? words[1] : HERE);
        if (fs == null) {
            throw new IOException(words[1]);
        }
        return switch (words[0]) {
            case "write" -> write(fs, words);
            case "bytes" -> bytesByHost(fs);
            case "delete" -> Boolean.toString(fs.delete(DIRECTORY, true));
            default -> throw new IOException(words[0]);
        };
    }

    private String write(FileSystem fs, String[] words) throws InterruptedException, ExecutionException {
        int first = Integer.parseInt(words[2]);
        byte[] transfer = new byte[Integer.parseInt(words[4])];
        new Random(first).nextBytes(transfer);
        long fileBytes = Long.parseLong(words[5]);
        long blockBytes = Long.parseLong(words[6]);
        List<Future<?>> written = new ArrayList<>();
        for (int writer = first; writer < first + Integer.parseInt(words[3]); writer++) {
            Job job = new Job(new Path(DIRECTORY, "file-" + writer), transfer, fileBytes, blockBytes);
            written.add(threads.submit(() -> {
                job.run(fs);
                return null;
            }));
        }
        for (Future<?> file : written) {
            file.get();
        }
        return "";
    }

    /** Words such as {@code node1=4096}, one for each host that has any. */
    private static String bytesByHost(FileSystem fs) throws IOException {
        Map<String, Long> bytes = new TreeMap<>();
        for (FileStatus file : fs.listStatus(DIRECTORY)) {
            for (BlockLocation block : fs.getFileBlockLocations(file, 0, file.getLen())) {
                for (String host : block.getHosts()) {
                    bytes.merge(host, block.getLength(), Long::sum);
                }
            }
        }
        List<String> words = new ArrayList<>();
        bytes.forEach((host, sum) -> words.add(host + "=" + sum));
        return String.join(" ", words);
    }
}
