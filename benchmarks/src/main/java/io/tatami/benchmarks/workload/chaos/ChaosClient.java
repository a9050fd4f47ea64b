package io.tatami.benchmarks.workload.chaos;

import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * A client process on a node, which reads commands from its standard input: {@code work NUMBER SEED WRITERS JOURNALS},
 * {@code judge JOURNALS}, {@code operate NODES} or {@code fill NAME}. It prints {@code ready}, a line that begins with
 * {@code done} for each command, and one for each violation.
 */
final class ChaosClient {
    /** Of the content of one writer's files. */
    private static final long IDS_OF_A_WRITER = 1 << 16;

    private static final int COPIES = 3;

    private ChaosClient() {}

    /** Answers a line of the standard input. */
    @FunctionalInterface
    private interface Command {
        String answer(String word) throws IOException, InterruptedException;
    }

    public static void main(String[] words) throws IOException, InterruptedException {
        ClientReport report = new ClientReport();
        try (FileSystem fs = open(COPIES)) {
            switch (words[0]) {
                case "work" -> work(fs, words, report);
                case "judge" -> judge(fs, Path.of(words[1]), report);
                case "operate" -> operate(Integer.parseInt(words[1]));
                case "fill" -> fill(words[1]);
                default -> throw new IOException("there is no role " + words[0]);
            }
        }
        System.exit(0);
    }

    private static FileSystem open(int copies) throws IOException {
        URI uri = URI.create(System.getenv("TATAMI_URI"));
        Configuration configuration = new Configuration();
        configuration.setInt("tatami.client.replication", copies);
        configuration.set("tatami.client.block.size", "4m");
        configuration.set("tatami.client.block.timeout", "8s");
        configuration.set("tatami.client.attempt.timeout", "10s");
        configuration.set("tatami.client.lease.renewal", "5s");
        // It may begin while the metadata server is killed.
        configuration.set("tatami.client.connect.timeout", "2m");
        return FileSystem.newInstance(uri, configuration);
    }

    private static void work(FileSystem fs, String[] words, ClientReport report)
            throws IOException, InterruptedException {
        int client = Integer.parseInt(words[1]);
        long seed = Long.parseLong(words[2]);
        int writers = Integer.parseInt(words[3]);
        ClientGate gate = new ClientGate(writers);
        List<Thread> threads = new ArrayList<>();
        for (int writer = 0; writer < writers; writer++) {
            long number = (long) client * writers + writer;
            String directory = JournalNames.directory(number);
            fs.mkdirs(new org.apache.hadoop.fs.Path(directory));
            PromiseJournal journal = PromiseJournal.open(JournalNames.file(Path.of(words[4]), number));
            ChaosWriter work = new ChaosWriter(
                    fs,
                    directory,
                    journal,
                    number * IDS_OF_A_WRITER + 1,
                    new Random(seed * 1_000 + number),
                    gate,
                    report);
            threads.add(new Thread(work, "writer " + number));
        }
        threads.forEach(Thread::start);
        serve(word -> switch (word) {
            case "calm" -> {
                gate.calm();
                yield "";
            }
            case "go" -> {
                gate.go();
                yield "";
            }
            case "end" -> {
                gate.end();
                for (Thread thread : threads) {
                    thread.join();
                }
                yield report.toString();
            }
            default -> throw new IOException(word);
        });
    }

    private static void judge(FileSystem fs, Path journals, ClientReport report)
            throws IOException, InterruptedException {
        PromiseJudge judge = new PromiseJudge(fs, journals, report);
        serve(word -> switch (word) {
            case "settle" -> judge.settle();
            case "read" -> judge.readAll();
            case "end" -> report.toString();
            default -> throw new IOException(word);
        });
    }

    /** What an administrator does. */
    private static void operate(int nodes) throws IOException, InterruptedException {
        URI uri = URI.create(System.getenv("TATAMI_URI"));
        UserIdentity user = UserIdentity.of(System.getProperty("user.name"));
        try (TatamiClient client = TatamiClient.connect(uri.getAuthority(), user, Settings.of(Map.of()))) {
            ChaosOperator operator = new ChaosOperator(client.cluster(), nodes);
            serve(word -> switch (word) {
                case "health" -> operator.health();
                case "give-up" -> operator.giveUpDead();
                case "end" -> "";
                default -> throw new IOException(word);
            });
        }
    }

    /** Files of one copy, which the writer's host takes as long as it has room. */
    private static void fill(String name) throws IOException, InterruptedException {
        try (FileSystem fs = open(1)) {
            DiskFilling filling = new DiskFilling(fs, name);
            serve(word -> switch (word) {
                case "fill" -> filling.fill();
                case "end" -> filling.empty();
                default -> throw new IOException(word);
            });
        }
    }

    /** Until the command that ends it, or the end of who sends commands. */
    private static void serve(Command command) throws IOException, InterruptedException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("ready");
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            System.out.println("done " + command.answer(line).replace('\n', ' '));
            if (line.equals("end")) {
                return;
            }
        }
    }
}
