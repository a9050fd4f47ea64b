package io.tatami.server;

import io.tatami.crash.Signals;
import io.tatami.server.cli.TatamiServer;
import io.tatami.server.node.DataDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A server in a process of its own, as {@code tatami start … --foreground} runs it, with the class path of the test's
 * JVM and a small heap. Whoever starts one ends it. Used by one thread.
 */
public final class ServerProcess implements AutoCloseable {
    private static final long POLL_MILLIS = 20;
    private static final long SECONDS_MAX = 120;

    /** A JVM's answer to SIGQUIT ends with this line; one that does not run well may not get that far. */
    private static final String DUMP_END = "JNI global refs";

    private static final long DUMP_MILLIS_MAX = 5_000;

    private final DataDirectory directory;
    private final Path console;
    private final Process process;

    private ServerProcess(DataDirectory directory, Path console, Process process) {
        this.directory = directory;
        this.console = console;
        this.process = process;
    }

    /**
     * Returns at once; {@link #awaitUri} waits until it serves.
     *
     * @param main what to run: {@link TatamiServer}, or what runs it
     * @param options of its JVM
     * @param start what follows {@code start}: the kind of server and its options but for the directory
     */
    public static ServerProcess start(Path data, Class<?> main, List<String> options, List<String> start)
            throws IOException {
        DataDirectory directory = new DataDirectory(data);
        directory.create();
        directory.removeReady();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx96m", "-XX:MaxDirectMemorySize=512m", "-XX:+UseSerialGC"));
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "--add-opens=java.base/java.nio=ALL-UNNAMED"));
        command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName(), "start"));
        command.addAll(start);
        command.addAll(List.of("--data", data.toString(), "--foreground"));
        Path console = data.resolve("console.txt");
        return new ServerProcess(
                directory,
                console,
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(console.toFile()))
                        .start());
    }

    /** @throws IOException with what the process said, where it ended instead of serving */
    public String awaitUri() throws IOException, InterruptedException {
        for (long waited = 0; waited < TimeUnit.SECONDS.toMillis(SECONDS_MAX); waited += POLL_MILLIS) {
            Optional<DataDirectory.Ready> ready = directory.ready();
            if (ready.isPresent() && ready.get().pid() == process.pid()) {
                return ready.get().uri();
            }
            if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new IOException(directory.root() + " ended: " + Files.readString(console));
            }
        }
        throw new IOException(directory.root() + " does not serve: " + Files.readString(console));
    }

    public long pid() {
        return process.pid();
    }

    /** What it has said so far, and behind that what its threads do now, where it runs. */
    public String report() throws IOException, InterruptedException {
        String all = Files.readString(console);
        int said = all.length();
        if (process.isAlive()) {
            Signals.send("QUIT", process.pid());
        }
        for (long waited = 0; isDumping(all, said) && waited < DUMP_MILLIS_MAX; waited += POLL_MILLIS) {
            Thread.sleep(POLL_MILLIS);
            all = Files.readString(console);
        }
        return directory.root() + ", " + (process.isAlive() ? "process " + process.pid() : "ended") + ":\n" + all;
    }

    private boolean isDumping(String all, int from) {
        return process.isAlive() && all.indexOf(DUMP_END, from) < 0;
    }

    /** Waits for the end that somebody else brings about. */
    int awaitExit() throws IOException, InterruptedException {
        if (process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
            return process.exitValue();
        }
        throw new IOException(directory.root() + " still runs: " + Files.readString(console));
    }

    /** {@code kill -9}. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Asks for an orderly end; {@link #close} waits for it. */
    void beginEnd() {
        process.destroy();
    }

    /** An orderly end, where it still runs. */
    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(directory.root() + " did not stop: " + Files.readString(console));
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + directory.root() + " stopped", e);
        }
    }
}
