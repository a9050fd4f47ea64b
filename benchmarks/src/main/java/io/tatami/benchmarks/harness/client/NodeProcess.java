package io.tatami.benchmarks.harness.client;

import io.tatami.benchmarks.harness.host.ThreadDumps;
import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A client program on a node of a lab, which answers each line on its standard input with one that begins with
 * {@code done}, and says {@code ready} once it is. Commands are given by one thread.
 */
public final class NodeProcess implements AutoCloseable {
    private static final int ANSWERS_MAX = 16;
    private static final int HEAP_MEBIBYTES = 192;
    private static final String NOTE = "violation";
    private static final String END = "its output ended";

    private final String name;
    private final Path log;
    private final Process process;
    private final PrintWriter commands;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>(ANSWERS_MAX);

    /** Starts one with the heap that most need. */
    public NodeProcess(Lab lab, LabNode node, Class<?> main, Path logs, Consumer<String> violations, List<String> words)
            throws IOException {
        this(lab, node, main, HEAP_MEBIBYTES, logs, violations, words);
    }

    /**
     * Starts one.
     *
     * @param logs a directory for what it prints to its standard error
     * @param violations told, by another thread, of each line that begins with {@code violation}
     * @param words its arguments
     */
    public NodeProcess(
            Lab lab,
            LabNode node,
            Class<?> main,
            int heapMebibytes,
            Path logs,
            Consumer<String> violations,
            List<String> words)
            throws IOException {
        name = words.get(0) + " on " + node.name();
        log = logs.resolve("client-" + String.join("-", words).replace('/', '_') + ".err");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heapMebibytes + "m",
                "-XX:MaxDirectMemorySize=512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "-Dhadoop.root.logger=WARN,console",
                "-cp",
                node.clientConfiguration() + ":" + System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(words);
        process = lab.command(node, command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        commands = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
        Thread reader = new Thread(() -> read(violations), "answers of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** What else is printed is passed over: Hadoop's libraries log where they like. */
    private void read(Consumer<String> violations) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(NOTE)) {
                    violations.accept(name + ": " + line);
                } else if (line.startsWith("done") || line.startsWith("ready")) {
                    answers.put(line);
                }
            }
            answers.put(END);
        } catch (IOException e) {
            answers.offer(END);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What it answers to a command, without the first word; {@code ready} is the answer to none. */
    public String ask(String command, long seconds) throws IOException, InterruptedException {
        tell(command);
        return answer(command, seconds);
    }

    /** Does not wait for the answer. */
    public void tell(String command) {
        commands.println(command);
    }

    /** Whether {@link #answer} would not wait. */
    public boolean hasAnswered() {
        return !answers.isEmpty();
    }

    /** The answer to what was told first; the stacks of a process that does not give it are in its log. */
    public String answer(String command, long seconds) throws IOException, InterruptedException {
        String line = answers.poll(seconds, TimeUnit.SECONDS);
        if (line == null) {
            ThreadDumps.append(process.toHandle(), log);
        }
        if (line == null || line.equals(END)) {
            throw new IOException(
                    name + " does not answer " + command + ": " + (line == null ? "silent" : line) + "; see " + log);
        }
        return line.substring(line.indexOf(' ') + 1);
    }

    /** {@code kill -9}. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
