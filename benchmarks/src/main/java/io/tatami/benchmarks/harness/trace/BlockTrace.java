package io.tatami.benchmarks.harness.trace;

import io.tatami.benchmarks.harness.host.LoopDevice;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.server.lab.host.Program;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the kernel gives a device to do while something goes on, by its own trace. An instance of its own: what others
 * trace meanwhile is not touched. Owned by one thread.
 */
public final class BlockTrace {
    private static final Path TRACEFS = Path.of("/sys/kernel/tracing");
    private static final String EVENT = "events/block/block_rq_issue/";
    private static final String BUFFER_KIBIBYTES = "8192";

    private final Path instance;

    /** What is traced. */
    @FunctionalInterface
    public interface Action {
        void run() throws IOException, InterruptedException;
    }

    private BlockTrace(Path instance) {
        this.instance = instance;
    }

    /**
     * Makes an instance, which {@code undo} removes; mounts the trace's file system where it is not, and undoes that
     * too.
     *
     * @throws IOException where the kernel has no such trace or this process may not
     */
    public static BlockTrace open(Undo undo) throws IOException, InterruptedException {
        if (!Files.isDirectory(TRACEFS.resolve("instances"))) {
            Program.run("mount", "-t", "tracefs", "tracefs", TRACEFS.toString());
            undo.add(() -> Program.run("umount", TRACEFS.toString()));
        }
        Path instance = TRACEFS.resolve(
                "instances/tatami-bench-" + ProcessHandle.current().pid());
        Files.createDirectory(instance);
        undo.add(() -> Files.delete(instance));
        BlockTrace trace = new BlockTrace(instance);
        trace.write("tracing_on", "0");
        trace.write("trace_clock", "mono");
        trace.write("buffer_size_kb", BUFFER_KIBIBYTES);
        return trace;
    }

    /**
     * What the device was given while {@code action} ran, in that order.
     *
     * @param device its number, as {@link LoopDevice#number} tells it
     * @throws IOException also where the kernel had no room for all of it
     */
    public List<BlockRequest> record(long device, Action action) throws IOException, InterruptedException {
        write(EVENT + "filter", "dev == " + device);
        write("trace", "");
        write(EVENT + "enable", "1");
        write("tracing_on", "1");
        try {
            action.run();
        } finally {
            write("tracing_on", "0");
            write(EVENT + "enable", "0");
        }
        checkComplete();
        try (Stream<String> lines = Files.lines(instance.resolve("trace"))) {
            return lines.map(BlockRequest::parse).flatMap(Optional::stream).toList();
        }
    }

    private void checkComplete() throws IOException {
        try (DirectoryStream<Path> processors = Files.newDirectoryStream(instance.resolve("per_cpu"))) {
            for (Path processor : processors) {
                for (String line : Files.readAllLines(processor.resolve("stats"))) {
                    if (line.matches("(overrun|dropped events): [1-9].*")) {
                        throw new IOException("the kernel's trace lost events: " + line);
                    }
                }
            }
        }
    }

    private void write(String file, String value) throws IOException {
        Files.writeString(instance.resolve(file), value);
    }
}
