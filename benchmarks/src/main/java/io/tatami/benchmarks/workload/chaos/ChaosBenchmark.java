package io.tatami.benchmarks.workload.chaos;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.benchmarks.harness.host.ThreadDumps;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.RunPlace;
import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabNode;
import io.tatami.server.lab.LabRole;
import io.tatami.server.lab.LabSpec;
import io.tatami.server.lab.NodeReport;
import io.tatami.server.lab.host.ProcessMark;
import io.tatami.server.node.DataDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tatami bench chaos}: see {@link ChaosRun}. Exit code 1 where a promise was broken. */
@Command(
        name = "chaos",
        mixinStandardHelpOptions = true,
        description =
                "Kills, pauses, cuts off, slows down, fills and wipes the servers of a lab while clients work, and"
                        + " reads all that was promised to these in the end. For root.")
public final class ChaosBenchmark implements Callable<Integer> {
    private static final long CAPACITY = 1L << 30;
    private static final int NODES = 4;
    private static final int SHARDS = 2;

    /** So that what takes minutes of a real cluster takes seconds here. */
    private static final List<String> SETTINGS = List.of(
            "-XX:TieredStopAtLevel=1",
            "-Dtatami.block.size.min=1",
            "-Dtatami.block.credit.size=4m",
            "-Dtatami.block.heartbeat=1s",
            "-Dtatami.block.chain.silence.max=5s",
            "-Dtatami.block.copy.rate=0",
            "-Dtatami.copies.lost-after=5s",
            "-Dtatami.copies.silent-percent-max=60",
            "-Dtatami.lease.soft-limit=20s");

    @Mixin
    private RunPlace place = new RunPlace();

    @Option(
            names = "--minutes",
            description = "How long servers are broken; the look at the end comes after that (default:"
                    + " ${DEFAULT-VALUE}).")
    private int minutes = 5;

    @Option(names = "--seed", description = "Of what is done when; drawn where it is 0, and told.")
    private long seed;

    @Option(names = "--clients", description = "Processes, one to a node (default: ${DEFAULT-VALUE}).")
    private int clients = 2;

    @Option(names = "--writers", description = "Of each process (default: ${DEFAULT-VALUE}).")
    private int writers = 3;

    @Option(
            names = "--heal-seconds",
            description = "In which every block has its copies again once all servers are back (default:"
                    + " ${DEFAULT-VALUE}).")
    private int healSeconds = 120;

    @Override
    public Integer call() throws Exception {
        if (!LabSpec.isRoot()) {
            throw new TatamiException(ErrorCode.UNSUPPORTED, "links and disks are broken by root alone; be root");
        }
        long drawn = seed == 0 ? System.nanoTime() & Integer.MAX_VALUE : seed;
        Progress progress = new Progress();
        progress.tell("seed %d, %d minutes, settings %s", drawn, minutes, SETTINGS);
        Path directory = place.work().resolve("chaos");
        Path logs = place.results().resolve("chaos-" + drawn).toAbsolutePath();
        // Journals of a run that was interrupted name files of a cluster that is gone.
        FileUtil.fullyDelete(logs.toFile());
        Files.createDirectories(logs);
        Undo undo = new Undo();
        try {
            undo.add(() -> Lab.remove(directory));
            Lab lab = Lab.up(LabSpec.of(directory, new LabSpec.Shape(NODES, 2, 1, SHARDS), CAPACITY)
                    .withJavaOptions(SETTINGS));
            ChaosClients processes = new ChaosClients(lab, logs, drawn, writers, progress);
            undo.add(processes::close);
            return run(lab, processes, drawn, logs) ? 0 : 1;
        } finally {
            undo.run();
        }
    }

    private boolean run(Lab lab, ChaosClients processes, long drawn, Path logs)
            throws IOException, InterruptedException {
        ChaosRun run = new ChaosRun(lab, processes, new StrikeDraw(drawn, NODES), healSeconds);
        try {
            processes.startWorkers(clients);
            run.strike(TimeUnit.MINUTES.toSeconds(minutes));
            run.judge();
        } catch (IOException | RuntimeException e) {
            processes.violation("the run ended: " + e);
            dumpThreads(lab);
            processes.tell("health: %s", health(processes));
        }
        processes.tell("seed %d: %s", drawn, run.summary());
        if (processes.violations() == 0) {
            FileUtil.fullyDelete(logs.toFile());
            return true;
        }
        keepLogs(lab, logs);
        processes.tell("logs are in %s", logs);
        return false;
    }

    private static String health(ChaosClients processes) throws InterruptedException {
        try {
            return processes.health();
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** What the servers are doing is added to what each of them prints. */
    private static void dumpThreads(Lab lab) throws IOException, InterruptedException {
        for (NodeReport report : lab.report()) {
            for (Map.Entry<LabRole, NodeReport.Server> each : report.servers().entrySet()) {
                OptionalLong pid = each.getValue().pid();
                if (pid.isPresent() && each.getValue().state() == ProcessMark.State.RUNNING) {
                    ThreadDumps.append(pid.getAsLong(), report.node().output(each.getKey()));
                }
            }
        }
    }

    /** What the servers printed and logged. */
    private static void keepLogs(Lab lab, Path logs) throws IOException {
        for (LabNode node : lab.nodes()) {
            for (LabRole role : node.roles()) {
                Path kept = Files.createDirectories(logs.resolve(node.name()).resolve(role.word()));
                Path printed = node.output(role);
                Files.copy(printed, kept.resolve(printed.getFileName()));
                Path logged = new DataDirectory(node.data(role)).logs();
                if (Files.isDirectory(logged)) {
                    try (Stream<Path> files = Files.list(logged)) {
                        for (Path file : files.toList()) {
                            Files.copy(file, kept.resolve(file.getFileName()));
                        }
                    }
                }
            }
        }
    }
}
