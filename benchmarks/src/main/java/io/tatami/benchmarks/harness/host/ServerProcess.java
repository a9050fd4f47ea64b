package io.tatami.benchmarks.harness.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One Java process with this process's class path, its output in a file. Closing it ends it. */
public final class ServerProcess implements AutoCloseable {
    private static final long POLL_MILLIS = 100;
    private static final long GRACE_SECONDS = 20;

    private final Process process;
    private final Path output;

    private ServerProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /**
     * Starts {@code mainClass}.
     *
     * @param classPathFirst a directory put before the class path, for configuration files
     */
    public static ServerProcess start(
            String mainClass, List<String> javaOptions, Path classPathFirst, List<String> arguments, Path output)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(javaOptions);
        command.addAll(HostNames.javaOptions());
        command.add("-cp");
        command.add(classPathFirst + ":" + System.getProperty("java.class.path"));
        command.add(mainClass);
        command.addAll(arguments);
        return start(new ProcessBuilder(command), mainClass, output);
    }

    /**
     * Starts a command that runs one Java process.
     *
     * @param name for messages
     */
    public static ServerProcess start(ProcessBuilder command, String name, Path output) throws IOException {
        Process process = command.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        endWithThisProgram(process, name);
        return new ServerProcess(process, output);
    }

    /** Also where this program is interrupted, and nobody closes what it has open. */
    private static void endWithThisProgram(Process process, String mainClass) throws IOException {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "end of " + mainClass));
        } catch (IllegalStateException e) {
            process.destroyForcibly();
            throw new IOException("this program is ending and starts no " + mainClass, e);
        }
    }

    public Process process() {
        return process;
    }

    /** Waits until {@code ready} holds; fails with the process's output where it ends first or takes too long. */
    public void awaitReady(Readiness ready, Duration limit) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!ready.holds()) {
            if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new IOException("a server ended with status " + process.exitValue() + " before it served:\n"
                        + Files.readString(output));
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("a server did not serve within " + limit + "; its output is " + output);
            }
        }
    }

    /** A condition that may have to talk to the server. */
    @FunctionalInterface
    public interface Readiness {
        boolean holds() throws IOException;
    }

    /** {@code kill -9}. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
