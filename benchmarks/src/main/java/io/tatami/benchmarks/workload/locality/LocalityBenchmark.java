package io.tatami.benchmarks.workload.locality;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.benchmarks.harness.client.NodeProcess;
import io.tatami.benchmarks.harness.host.KeptLogs;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.RoundsCommand;
import io.tatami.benchmarks.harness.yarn.LabYarn;
import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabNode;
import io.tatami.server.lab.LabSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code tatami bench locality}: the same jobs on the same nodes, which have YARN's NodeManagers or Spark's Workers
 * beside block servers or beside DataNodes, one file system up at a time; where their tasks ran, pooled over the
 * rounds.
 */
@Command(
        name = "locality",
        mixinStandardHelpOptions = true,
        description =
                "How many maps of Hadoop's word count, TeraSort and TestDFSIO, and tasks of Spark, run on a host that"
                        + " has their bytes, also on its cache tier, by the jobs' own counters, over Tatami and over"
                        + " HDFS on the nodes of a lab. For root.")
public final class LocalityBenchmark extends RoundsCommand {
    private static final List<String> COLUMNS =
            List.of("peer", "job", "round", "maps", "node_local", "rack_local", "elsewhere", "staged_mib", "seconds");
    private static final long READY_SECONDS = 120;
    private static final long COMMAND_SECONDS = 1_800;
    private static final int RACKS = 2;
    private static final int SHARDS = 2;
    private static final int SPARE_MEBIBYTES = 2_048;

    /** The job that is no one of YARN. */
    private static final String SPARK = "spark";

    /** Jobs that have an input of their own; all others share one text. */
    private static final List<String> WITHOUT_TEXT = List.of("terasort", "dfsio");

    /** What the names of jobs begin with whose input is staged. */
    private static final String STAGED = "staged";

    /** Where an answer of the client has the bytes that came from cache tiers. */
    private static final int STAGED_WORD = 4;

    private static final int MILLIS_WORD = 5;
    private static final int APPLICATION_WORD = 6;

    /** The master of a job, and two tasks beside it. */
    private static final int CONTAINERS_MEBIBYTES = 1_536;

    @Option(names = "--peers", split = ",", description = "In this order (default: ${DEFAULT-VALUE}).")
    private List<String> peers = List.of("tatami", "hdfs");

    @Option(names = "--nodes", description = "With storage and tasks (default: ${DEFAULT-VALUE}).")
    private int nodes = 4;

    @Option(
            names = "--jobs",
            split = ",",
            description = "Of wordcount, terasort, dfsio, spark, staged and staged-all-hosts; a map of TestDFSIO is"
                    + " beside the file that names its file; spark has Spark's standalone cluster count the lines of"
                    + " word count's input; the last two are word counts whose input is on the cache tiers, over"
                    + " Tatami alone, with locations of these hosts and of all (default: ${DEFAULT-VALUE}).")
    private List<String> jobs = List.of("wordcount", "terasort", "dfsio");

    @Option(names = "--block", paramLabel = "MIB", description = "MiB of each block (default: ${DEFAULT-VALUE}).")
    private int blockMebibytes = 16;

    @Option(names = "--size", paramLabel = "MIB", description = "MiB of each job's input (default: ${DEFAULT-VALUE}).")
    private int mebibytes = 256;

    @Option(names = "--copies", description = "Of each block (default: ${DEFAULT-VALUE}).")
    private int copies = 3;

    @Option(
            names = "--spark",
            paramLabel = "FILE",
            description = "Names the jars of Spark 3.5, as ./mvnw -f compatibility/spark-3.5/pom.xml"
                    + " pre-integration-test writes it; for the job spark (default: ${DEFAULT-VALUE}).")
    private Path sparkClassPath = Path.of("compatibility", "spark-3.5", "target", "classpath");

    @Option(
            names = "--spark-locality-wait",
            paramLabel = "TIME",
            description = "spark.locality.wait (default: ${DEFAULT-VALUE}, as Spark's).")
    private String sparkLocalityWait = "3s";

    private final Progress progress = new Progress();

    public LocalityBenchmark() {
        super("locality", COLUMNS, 5);
    }

    @Override
    protected boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        if (!LabSpec.isRoot()) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED, "nodes with names of their own are made by root alone; be root");
        }
        List<Path> sparkJars = jobs.contains(SPARK) ? sparkJars() : List.of();
        results.remark(nodes + " nodes in " + RACKS + " racks, inputs of " + mebibytes + " MiB in blocks of "
                + blockMebibytes + " MiB and " + copies + " copies");
        for (String peer : peers) {
            Map<String, MapPlaces> pooled = new TreeMap<>();
            inLab(peer, rounds.rounds(), sparkJars, work, undo, results, pooled);
            pooled.forEach((job, places) -> results.remark(String.format(
                    "%s, %s: %.2f of %d tasks node-local, %d rack-local, %d elsewhere",
                    peer, job, places.nodeLocalPart(), places.launched(), places.rackLocal(), places.elsewhere())));
        }
        return true;
    }

    private List<Path> sparkJars() throws IOException {
        List<Path> jars = new ArrayList<>(SparkHome.jars(sparkClassPath));
        jars.add(SparkHome.plugin(Path.of(System.getProperty("tatami.home", "."))));
        return jars;
    }

    private void inLab(
            String peer,
            int rounds,
            List<Path> sparkJars,
            Path work,
            Undo undo,
            Results results,
            Map<String, MapPlaces> pooled)
            throws IOException, InterruptedException {
        boolean isHdfs = peer.equals("hdfs");
        Path directory = work.resolve("locality");
        long capacity = ((long) mebibytes * (jobs.size() + 1) * copies + SPARE_MEBIBYTES) << 20;
        List<String> run =
                isHdfs ? jobs.stream().filter(job -> !job.startsWith(STAGED)).toList() : jobs;
        LabSpec spec = LabSpec.of(directory, new LabSpec.Shape(nodes, RACKS, 1, SHARDS), capacity);
        if (run.stream().anyMatch(job -> job.startsWith(STAGED))) {
            spec = spec.withCache((long) mebibytes << 20);
        }
        undo.add(() -> Lab.remove(directory));
        progress.tell("%s: a lab of %d nodes", peer, nodes);
        Lab lab = Lab.up(isHdfs ? spec.withHdfsAlone() : spec);
        Path logs = Files.createDirectories(work.resolve("locality-clients"));
        try (LabYarn yarn = yarn(lab, work.resolve("locality-yarn"), base(lab, isHdfs), run);
                LabSpark spark = new LabSpark(
                        lab, sparkJars, LabYarn.clientsWithoutDefaults(lab, isHdfs), work.resolve("locality-spark"));
                NodeProcess client = new NodeProcess(
                        lab,
                        lab.nodes().get(0),
                        LocalityClient.class,
                        logs,
                        progress::tell,
                        List.of(yarn.configuration().toString()))) {
            try {
                prepare(peer, run, client);
                if (!WITHOUT_TEXT.containsAll(run)) {
                    writeText(peer, lab, yarn.configuration(), logs);
                }
                if (run.contains(SPARK)) {
                    progress.tell("%s: Spark's Master and Workers", peer);
                    spark.start();
                }
                runJobs(peer, rounds, run, client, spark, results, pooled);
            } catch (IOException e) {
                progress.tell("%s: the logs of all processes are kept in %s", peer, KeptLogs.of(work));
                throw e;
            }
        }
        Lab.remove(directory);
    }

    private static boolean hasJobOfYarn(List<String> run) {
        return run.stream().anyMatch(job -> !job.equals(SPARK));
    }

    private static LabYarn yarn(Lab lab, Path directory, Configuration base, List<String> run) throws IOException {
        return hasJobOfYarn(run)
                ? LabYarn.start(lab, directory, base, CONTAINERS_MEBIBYTES)
                : LabYarn.withoutDaemons(lab, directory, base);
    }

    private void prepare(String peer, List<String> run, NodeProcess client) throws IOException, InterruptedException {
        client.answer("ready", READY_SECONDS);
        if (hasJobOfYarn(run)) {
            client.ask("nodes " + nodes, COMMAND_SECONDS);
        }
        for (String job : run) {
            if (WITHOUT_TEXT.contains(job)) {
                progress.tell("%s: the input of %s", peer, job);
                client.ask("prepare " + job + " " + mebibytes, COMMAND_SECONDS);
            }
        }
    }

    /** Each node writes an equal part, so that the first copies are as evenly spread as those of a job's output. */
    private void writeText(String peer, Lab lab, Path configuration, Path logs)
            throws IOException, InterruptedException {
        progress.tell("%s: the text, by each node a part", peer);
        for (LabNode node : lab.nodes()) {
            try (NodeProcess writer = new NodeProcess(
                    lab, node, LocalityClient.class, logs, progress::tell, List.of(configuration.toString()))) {
                writer.answer("ready", READY_SECONDS);
                writer.ask("text " + node.name() + " " + mebibytes / nodes, COMMAND_SECONDS);
            }
        }
    }

    /**
     * How a job ended.
     *
     * @param application its name
     */
    private record Outcome(MapPlaces places, long stagedBytes, long millis, String application) {
        static Outcome parse(String answer) {
            String[] words = answer.split(" ", -1);
            return new Outcome(
                    MapPlaces.parse(answer),
                    Long.parseLong(words[STAGED_WORD]),
                    Long.parseLong(words[MILLIS_WORD]),
                    words[APPLICATION_WORD]);
        }

        static Outcome of(SparkEventLog log) {
            return new Outcome(log.places(), 0, log.millis(), log.application());
        }
    }

    private void runJobs(
            String peer,
            int rounds,
            List<String> run,
            NodeProcess client,
            LabSpark spark,
            Results results,
            Map<String, MapPlaces> pooled)
            throws IOException, InterruptedException {
        RoundTurns turns = results.turns(rounds, run.size());
        for (int round = 1; round <= rounds; round++) {
            for (String job : run) {
                turns.next();
                if (job.startsWith(STAGED)) {
                    String places = client.ask("stage", COMMAND_SECONDS);
                    results.remark("round " + round + " of " + job + ": " + places);
                    progress.tell("%s: %s", peer, places);
                }
                Outcome outcome = job.equals(SPARK)
                        ? Outcome.of(spark.scan(LocalityClient.TEXT.toString(), sparkLocalityWait))
                        : Outcome.parse(client.ask("run " + job, COMMAND_SECONDS));
                MapPlaces places = outcome.places();
                double seconds = outcome.millis() / 1e3;
                pooled.merge(job, places, MapPlaces::plus);
                results.row(
                        peer,
                        job,
                        round,
                        places.launched(),
                        places.nodeLocal(),
                        places.rackLocal(),
                        places.elsewhere(),
                        outcome.stagedBytes() >> 20,
                        String.format("%.1f", seconds));
                progress.tell("%s: round %d of %s: %s, %.1f s", peer, round, job, places, seconds);
                if (!peer.equals("hdfs")) {
                    Path why = results.file().toAbsolutePath().resolveSibling("locality-" + job + "-" + round + ".txt");
                    client.ask("why " + outcome.application() + " " + why, COMMAND_SECONDS);
                }
            }
        }
    }

    private Configuration base(Lab lab, boolean isHdfs) {
        Configuration base = LabYarn.clients(lab, isHdfs);
        base.setInt("tatami.client.replication", copies);
        base.set("tatami.client.block.size", blockMebibytes + "m");
        base.setLong("dfs.blocksize", (long) blockMebibytes << 20);
        base.setInt("dfs.replication", copies);
        return base;
    }
}
