package io.tatami.crash;

import io.tatami.files.CrashPoint;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link CrashNode} in a process of its own, as the test that started it sees it. Used by one thread. */
public final class NodeProcess implements AutoCloseable {
    private static final long EXIT_SECONDS_MAX = 60;
    private static final int LOG_END_CHARACTERS = 8_000;

    private final Process process;
    private final BufferedReader output;
    private final BufferedWriter input;
    private final Path log;
    private final @Nullable String authority;

    /**
     * Where a node keeps what; its log goes beside the directory.
     *
     * @param volume null for a file in the directory
     */
    public record Place(Path directory, @Nullable Path volume) {
        public static Place in(Path directory) {
            return new Place(directory, null);
        }
    }

    private NodeProcess(Process process, Path log) throws IOException {
        this.process = process;
        this.log = log;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.input = process.outputWriter(StandardCharsets.UTF_8);
        String line = output.readLine();
        while (line != null && !line.startsWith(CrashNode.SERVING)) {
            line = output.readLine();
        }
        this.authority = line == null ? null : line.substring(CrashNode.SERVING.length());
    }

    /** Starts a node and returns when it serves or has ended. */
    public static NodeProcess start(Place place) throws IOException {
        return start(place, null);
    }

    /** {@link #start(Place)} of one that halts when it passes {@code crashAt} for the first time. */
    public static NodeProcess start(Place place, @Nullable String crashAt) throws IOException {
        Path log = place.directory().resolveSibling(place.directory().getFileName() + ".log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:MaxDirectMemorySize=512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-Dtatami.meta.reserve=1m",
                "-Dtatami.meta.log.file=128k",
                "-Dtatami.block.heartbeat=300ms",
                "-Dtatami.block.writer.idle.max=400ms",
                "-Dtatami.block.park.after=150ms",
                "-Dtatami.block.credit.size=1m",
                "-Dtatami.block.size.min=1"));
        if (crashAt != null) {
            command.add("-D" + CrashPoint.PROPERTY + "=" + crashAt);
        }
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                CrashNode.class.getName(),
                place.directory().toString(),
                place.volume() == null ? "-" : place.volume().toString()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        return new NodeProcess(process, log);
    }

    /** Whether it came to serve. */
    public boolean serves() {
        return authority != null;
    }

    /** Where clients connect to; only of a node that came to serve. */
    public String authority() {
        if (authority == null) {
            throw new AssertionError(
                    "the node ended with " + awaitExit() + " before it served; its log ends with\n" + endOf(log));
        }
        return authority;
    }

    /** For a failure's message, as the log is deleted with the test's directory. */
    private static String endOf(Path log) {
        try {
            String text = Files.readString(log);
            return text.substring(Math.max(0, text.length() - LOG_END_CHARACTERS));
        } catch (IOException e) {
            return "(" + e + ")";
        }
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Has the node halt when it passes the point for the nth time from now on.
     *
     * @return false where the node has ended, as what it was armed with before may have had it do
     */
    boolean arm(String point, long nth) throws IOException {
        try {
            tell("arm " + point + " " + nth);
        } catch (IOException e) {
            if (process.isAlive()) {
                throw e;
            }
            return false;
        }
        return expect(CrashNode.ARMED);
    }

    /** How often each point was passed since the process began. */
    Map<String, Long> counts() throws IOException {
        tell("counts");
        Map<String, Long> counts = new TreeMap<>();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.equals(CrashNode.END)) {
                return counts;
            }
            if (line.startsWith(CrashNode.COUNT)) {
                String[] words = line.split(" ", -1);
                counts.put(words[1], Long.parseLong(words[2]));
            }
        }
        throw new IOException("the node ended instead of telling its counts; see " + log);
    }

    /** False where the output ends before the answer. */
    private boolean expect(String answer) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.equals(answer)) {
                return true;
            }
        }
        return false;
    }

    private void tell(String command) throws IOException {
        input.write(command);
        input.newLine();
        input.flush();
    }

    /** Waits until the process ends. */
    public int awaitExit() {
        try {
            if (!process.waitFor(EXIT_SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new AssertionError("the node does not end; see " + log);
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** Whether the process ends within {@code millis}. */
    boolean endsWithin(long millis) throws InterruptedException {
        return process.waitFor(millis, TimeUnit.MILLISECONDS);
    }

    /** Runs {@code action} on some thread once the process has ended. */
    void onExit(Runnable action) {
        var unused = process.onExit().thenRun(action);
    }

    /** Ends the node in order. */
    public void stop() throws IOException {
        tell("stop");
        int code = awaitExit();
        if (code != 0) {
            throw new AssertionError("the node ended with " + code + "; see " + log);
        }
    }

    /** Stops the process where it is; {@link #kill} ends it all the same. */
    void pause() throws IOException {
        Signals.send("STOP", process.pid());
    }

    /** As {@code kill -9} does. */
    public void kill() {
        process.destroyForcibly();
        int unused = awaitExit();
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
    }
}
