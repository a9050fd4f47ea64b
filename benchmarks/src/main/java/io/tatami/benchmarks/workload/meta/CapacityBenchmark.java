package io.tatami.benchmarks.workload.meta;

import io.tatami.benchmarks.harness.host.ProcessMemory;
import io.tatami.benchmarks.harness.peer.TatamiPeer;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RunPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code tatami bench capacity}: fills a standalone server, with the heap {@code bin/tatami} gives it, with files and
 * directories, and watches what memory its process takes. Ends by asking for entries at random, which must all be
 * there.
 */
@Command(
        name = "capacity",
        mixinStandardHelpOptions = true,
        description = "The memory of a server's process as files and directories become many.")
public final class CapacityBenchmark implements Callable<Integer> {
    private static final int REPORT_SECONDS = 10;
    private static final int CHECKS = 10_000;
    private static final byte[] CONTENT = new byte[64];
    private static final double MIB = 1 << 20;

    @Option(names = "--files", description = "In all (default: ${DEFAULT-VALUE}).")
    private long files = 5_000_000;

    @Option(names = "--directories", description = "In all, the files evenly in them (default: ${DEFAULT-VALUE}).")
    private long directories = 1_000_000;

    @Option(names = "--clients", description = "At once (default: ${DEFAULT-VALUE}).")
    private int clients = 32;

    @Mixin
    private RunPlace place = new RunPlace();

    private final AtomicLong filesMade = new AtomicLong();
    private final AtomicLong directoriesMade = new AtomicLong();

    @Override
    public Integer call() throws Exception {
        java.nio.file.Path directory = Files.createDirectories(place.work()).resolve("capacity");
        FileUtil.fullyDelete(directory.toFile());
        List<String> columns = List.of("seconds", "directories", "files", "rss_mib", "rss_peak_mib");
        try (Results results = new Results(place.results(), "capacity", columns);
                TatamiPeer peer = TatamiPeer.start(directory, "4g")) {
            fill(peer, results);
            check(peer, results);
            results.remark("raw figures: " + results.file());
        }
        return 0;
    }

    private void fill(TatamiPeer peer, Results results) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        List<Future<?>> work = new ArrayList<>();
        long begin = System.nanoTime();
        try {
            for (int client = 0; client < clients; client++) {
                int number = client;
                work.add(threads.submit(() -> fill(peer, number)));
            }
            threads.shutdown();
            boolean ended = false;
            while (!ended) {
                ended = threads.awaitTermination(REPORT_SECONDS, TimeUnit.SECONDS);
                report(peer, (System.nanoTime() - begin) / 1e9, results);
            }
            for (Future<?> part : work) {
                part.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Client {@code client}'s directories are those whose number has its remainder. */
    private Void fill(TatamiPeer peer, int client) throws IOException {
        try (FileSystem fs = newFileSystem(peer)) {
            for (long directory = client; directory < directories; directory += clients) {
                Path path = directoryPath(directory);
                fs.mkdirs(path);
                directoriesMade.incrementAndGet();
                for (long file = directory; file < files; file += directories) {
                    try (FSDataOutputStream out = fs.create(new Path(path, "file-" + file), false)) {
                        out.write(CONTENT);
                    }
                    filesMade.incrementAndGet();
                }
            }
        }
        return null;
    }

    private void report(TatamiPeer peer, double seconds, Results results) throws IOException {
        ProcessMemory memory = ProcessMemory.of(peer.servers().get(0).pid());
        results.row(
                String.format("%.0f", seconds),
                directoriesMade,
                filesMade,
                String.format("%.0f", memory.residentBytes() / MIB),
                String.format("%.0f", memory.residentPeakBytes() / MIB));
    }

    private void check(TatamiPeer peer, Results results) throws IOException {
        Random random = new Random(1);
        try (FileSystem fs = newFileSystem(peer)) {
            for (int i = 0; i < CHECKS; i++) {
                long file = random.nextLong(files);
                Path path = new Path(directoryPath(file % directories), "file-" + file);
                if (fs.getFileStatus(path).getLen() != CONTENT.length) {
                    throw new IOException(path + " has another length than it was given");
                }
            }
            var summary = fs.getContentSummary(new Path("/capacity"));
            results.remark(String.format(
                    "%d files at random were there; the content summary counts %d files and %d directories",
                    CHECKS, summary.getFileCount(), summary.getDirectoryCount()));
        }
        ProcessMemory memory = ProcessMemory.of(peer.servers().get(0).pid());
        results.remark(String.format(
                "%d files and %d directories: the server's process held %.0f MiB at most",
                filesMade.get(), directoriesMade.get(), memory.residentPeakBytes() / MIB));
    }

    private static FileSystem newFileSystem(TatamiPeer peer) throws IOException {
        return FileSystem.newInstance(peer.configuration());
    }

    /** A thousand directories on each level. */
    private static Path directoryPath(long number) {
        return new Path("/capacity/" + number / 1_000 + "/" + number % 1_000);
    }
}
