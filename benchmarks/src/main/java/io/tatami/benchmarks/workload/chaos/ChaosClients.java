package io.tatami.benchmarks.workload.chaos;

import io.tatami.benchmarks.harness.client.NodeProcess;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The processes of clients, and what they say. Used by one thread, but for violations. */
final class ChaosClients implements AutoCloseable {
    private static final long READY_SECONDS_MAX = 180;
    private static final long COMMAND_SECONDS_MAX = 300;
    private static final long POLL_MILLIS = 2_000;

    private final Lab lab;
    private final Path logs;
    private final long seed;
    private final int writers;
    private final Progress progress;
    private final List<NodeProcess> workers = new ArrayList<>();
    private final List<NodeProcess> others = new ArrayList<>();
    private @Nullable NodeProcess operator;
    private int violations;
    private int killed = -1;

    /** @param writers of each process */
    ChaosClients(Lab lab, Path logs, long seed, int writers, Progress progress) {
        this.lab = lab;
        this.logs = logs;
        this.seed = seed;
        this.writers = writers;
        this.progress = progress;
    }

    /** One process on each of the first nodes. */
    void startWorkers(int count) throws IOException, InterruptedException {
        Files.createDirectories(journals());
        for (int client = 0; client < count; client++) {
            workers.add(startWorker(client));
        }
    }

    private NodeProcess startWorker(int client) throws IOException, InterruptedException {
        LabNode node = lab.nodes().get(client);
        List<String> words = List.of(
                "work",
                Integer.toString(client),
                Long.toString(seed),
                Integer.toString(writers),
                journals().toString());
        return start(node, words);
    }

    private Path journals() {
        return logs.resolve("journals");
    }

    /** Starts a process that does something else; it ends with this at the latest. */
    NodeProcess start(LabNode node, List<String> words) throws IOException, InterruptedException {
        NodeProcess process = new NodeProcess(lab, node, ChaosClient.class, logs, this::violation, words);
        others.add(process);
        process.answer("ready", READY_SECONDS_MAX);
        return process;
    }

    NodeProcess startJudge() throws IOException, InterruptedException {
        return start(lab.nodes().get(0), List.of("judge", journals().toString()));
    }

    void tell(String format, Object... values) {
        progress.tell(format, values);
    }

    synchronized void violation(String text) {
        violations++;
        progress.tell("%s", text);
    }

    synchronized int violations() {
        return violations;
    }

    /** Ends one of the processes after the other by SIGKILL. */
    void killNext() throws InterruptedException {
        killed = (killed + 1) % workers.size();
        workers.get(killed).kill();
    }

    /** Of the process that was killed last. */
    LabNode killedNode() {
        return lab.nodes().get(killed);
    }

    /** Another process goes on in the place of the one that was killed last. */
    void startKilled() throws IOException, InterruptedException {
        workers.set(killed, startWorker(killed));
    }

    /** The administrator's process. */
    private NodeProcess operator() throws IOException, InterruptedException {
        NodeProcess begun = operator;
        if (begun == null) {
            begun = start(
                    lab.nodes().get(0),
                    List.of("operate", Integer.toString(lab.nodes().size())));
            operator = begun;
        }
        return begun;
    }

    /** What a process answers to a command, which may wait for a server that is given up meanwhile. */
    String askGivingUp(NodeProcess asked, String command) throws IOException, InterruptedException {
        asked.tell(command);
        giveUpUntilAnswered(List.of(asked));
        return asked.answer(command, COMMAND_SECONDS_MAX);
    }

    /** The same of all workers, told at once. */
    void askAllGivingUp(String command) throws IOException, InterruptedException {
        workers.forEach(worker -> worker.tell(command));
        giveUpUntilAnswered(workers);
        for (NodeProcess worker : workers) {
            worker.answer(command, COMMAND_SECONDS_MAX);
        }
    }

    private void giveUpUntilAnswered(List<NodeProcess> asked) throws IOException, InterruptedException {
        long giveUpNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(COMMAND_SECONDS_MAX);
        while (!asked.stream().allMatch(NodeProcess::hasAnswered) && System.nanoTime() - giveUpNanos < 0) {
            String given = operator().ask("give-up", COMMAND_SECONDS_MAX);
            if (!given.isEmpty()) {
                tell("given up: %s", given);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    /** What all of them answer to one command, given to all at once. */
    List<String> askAll(String command) throws IOException, InterruptedException {
        workers.forEach(worker -> worker.tell(command));
        List<String> answers = new ArrayList<>();
        for (NodeProcess worker : workers) {
            answers.add(worker.answer(command, COMMAND_SECONDS_MAX));
        }
        return answers;
    }

    /** What the administrator says of the cluster. */
    String health() throws IOException, InterruptedException {
        return operator().ask("health", COMMAND_SECONDS_MAX);
    }

    @Override
    public void close() {
        workers.forEach(NodeProcess::close);
        others.forEach(NodeProcess::close);
    }
}
