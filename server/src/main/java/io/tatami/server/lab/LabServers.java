package io.tatami.server.lab;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.server.lab.host.ProcessMark;
import io.tatami.server.lab.host.Program;
import io.tatami.server.node.DataDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The server processes of a lab: Tatami's, and HDFS's where it has them. Used by one thread. */
final class LabServers {
    private static final String TATAMI = "io.tatami.server.cli.TatamiServer";
    private static final String NAMENODE = "org.apache.hadoop.hdfs.server.namenode.NameNode";
    private static final String DATANODE = "org.apache.hadoop.hdfs.server.datanode.DataNode";
    private static final String DFS_ADMIN = "org.apache.hadoop.hdfs.tools.DFSAdmin";
    private static final List<String> JAVA_OPTIONS = List.of(
            "-Xmx128m",
            "-XX:MaxDirectMemorySize=256m",
            "-XX:+UseSerialGC",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "-Dtatami.meta.store.cache=64m",
            // What is written ahead would take the disks' time and the machine's room.
            "-Dtatami.block.prewrite.ahead=0");
    private static final List<String> HDFS_JAVA_OPTIONS =
            List.of("-Xmx192m", "-XX:+UseSerialGC", "-Dhadoop.root.logger=WARN,console");
    private static final long POLL_MILLIS = 50;
    private static final long START_MILLIS_MAX = 180_000;

    private final LabSpec spec;
    private final LabDirectory directory;
    private final NodeIsolation isolation;
    private final int metadataPort;

    /** A server that was started and may not serve yet. */
    private record Starting(LabNode node, LabRole role, Process process) {}

    LabServers(LabSpec spec, NodeIsolation isolation, int metadataPort) {
        this.spec = spec;
        this.directory = new LabDirectory(spec.directory());
        this.isolation = isolation;
        this.metadataPort = metadataPort;
    }

    /** @throws TatamiException UNSUPPORTED */
    static void checkHdfs() throws TatamiException {
        try {
            Class<?> unused = Class.forName(NAMENODE, false, LabServers.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED,
                    "HDFS is not on the class path; run the lab by bin/tatami, whose libraries have it",
                    e);
        }
    }

    /** {@code host:port} of every metadata server, with commas between. */
    String authority() {
        return String.join(
                ",",
                spec.nodes().stream()
                        .filter(node -> node.roles().contains(LabRole.METADATA))
                        .map(node -> node.name() + ":" + metadataPort)
                        .toList());
    }

    /** Starts all servers of a new lab, and returns when they serve. */
    void startAll() throws IOException, InterruptedException {
        for (LabNode node : spec.nodes()) {
            if (node.roles().contains(LabRole.METADATA)) {
                start(node, List.of(LabRole.METADATA));
            }
        }
        if (spec.hasTatami()) {
            startBlockServers();
        }
        if (spec.hasHdfs()) {
            startHdfs();
        }
    }

    private void startBlockServers() throws IOException, InterruptedException {
        List<Starting> starting = new ArrayList<>();
        for (LabNode node : spec.nodes()) {
            starting.add(begin(node, LabRole.BLOCK));
        }
        await(starting);
        checkAll(spec.nodes().get(spec.nodes().size() - 1));
    }

    private void checkAll(LabNode node) throws IOException, InterruptedException {
        List<String> arguments = List.of(
                authority(),
                Integer.toString(spec.shape().metadataServers()),
                Integer.toString(spec.shape().nodes()));
        run(node, "check", tatami(node, LabCheck.class.getName(), arguments));
    }

    /**
     * Starts those of a node's servers that do not run, and returns when they serve. One after the other: a block
     * server whose only metadata server does not listen yet gives up at once.
     */
    void start(LabNode node, List<LabRole> roles) throws IOException, InterruptedException {
        for (LabRole role : node.roles()) {
            if (roles.contains(role) && state(node, role) == ProcessMark.State.GONE) {
                await(List.of(begin(node, role)));
            }
        }
    }

    ProcessMark.State state(LabNode node, LabRole role) throws TatamiException {
        return directory.noted(node, role.word()).map(ProcessMark::state).orElse(ProcessMark.State.GONE);
    }

    private Starting begin(LabNode node, LabRole role) throws IOException, InterruptedException {
        if (!role.isHdfs()) {
            DataDirectory data = new DataDirectory(node.data(role));
            data.create();
            data.removeReady();
        }
        Process process = spawn(node, command(node, role), node.output(role));
        directory.note(node, role.word(), ProcessMark.ofStarted(process));
        return new Starting(node, role, process);
    }

    private List<String> command(LabNode node, LabRole role) throws IOException, InterruptedException {
        return switch (role) {
            case METADATA -> tatami(node, TATAMI, metadataArguments(node));
            case BLOCK -> tatami(node, TATAMI, blockArguments(node));
            case NAMENODE -> hdfs(NAMENODE, List.of());
            case DATANODE -> hdfs(DATANODE, List.of());
        };
    }

    private List<String> metadataArguments(LabNode node) {
        List<String> arguments = new ArrayList<>(List.of("start", "metadata", "--foreground", "--host", node.name()));
        arguments.addAll(List.of("--port", Integer.toString(metadataPort)));
        arguments.addAll(List.of("--data", node.data(LabRole.METADATA).toString()));
        boolean isNew = !Files.exists(new DataDirectory(node.data(LabRole.METADATA)).meta());
        if (isNew && node.number() == 1) {
            arguments.addAll(List.of("--shards", Integer.toString(spec.shape().shards())));
            arguments.addAll(List.of("--replicas", Integer.toString(spec.shape().metadataServers())));
        } else if (isNew) {
            arguments.addAll(List.of("--join", spec.nodes().get(0).name() + ":" + metadataPort));
        }
        return arguments;
    }

    private List<String> blockArguments(LabNode node) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(
                "start",
                "block",
                "--foreground",
                "--host",
                node.name(),
                "--metadata",
                authority(),
                "--data",
                node.data(LabRole.BLOCK).toString(),
                "--rack",
                node.rack(),
                "--volume",
                isolation.volume(node).toString(),
                "--capacity",
                Long.toString(spec.limits().capacityBytes())));
        if (spec.cacheBytes() > 0) {
            Path cache = node.data(LabRole.BLOCK).resolveSibling("cache");
            arguments.addAll(List.of("--cache", cache.toString(), "--cache-size", Long.toString(spec.cacheBytes())));
        }
        return arguments;
    }

    private List<String> tatami(LabNode node, String mainClass, List<String> arguments) {
        List<String> options = new ArrayList<>(JAVA_OPTIONS);
        options.addAll(isolation.javaOptions(node));
        options.addAll(spec.javaOptions());
        return javaCommand(options, "", mainClass, arguments);
    }

    private List<String> hdfs(String mainClass, List<String> arguments) {
        List<String> options = new ArrayList<>(HDFS_JAVA_OPTIONS);
        options.addAll(spec.javaOptions());
        return javaCommand(options, directory.hdfsConfiguration() + ":", mainClass, arguments);
    }

    private List<String> javaCommand(
            List<String> options, String classPathFirst, String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add(directory.mark());
        command.add("-cp");
        command.add(classPathFirst + System.getProperty("java.class.path"));
        command.add(mainClass);
        command.addAll(arguments);
        return command;
    }

    /** It goes on when this program ends, and no signal of this terminal reaches it. */
    private Process spawn(LabNode node, List<String> command, Path output) throws IOException {
        List<String> all = new ArrayList<>();
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            all.add("/usr/bin/setsid");
        }
        all.addAll(isolation.entering(node));
        all.addAll(command);
        return new ProcessBuilder(all)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                .start();
    }

    private void await(List<Starting> all) throws IOException, InterruptedException {
        for (Starting starting : all) {
            for (long waited = 0; !serves(starting); waited += POLL_MILLIS) {
                if (starting.process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS) || waited >= START_MILLIS_MAX) {
                    throw notServing(starting.node, starting.role.word(), starting.node.output(starting.role));
                }
            }
        }
    }

    /** Servers of HDFS are not asked here. */
    private static boolean serves(Starting starting) throws IOException {
        if (starting.role.isHdfs()) {
            return true;
        }
        Optional<DataDirectory.Ready> ready = new DataDirectory(starting.node.data(starting.role)).ready();
        return ready.isPresent() && ready.get().pid() == starting.process.pid();
    }

    private static TatamiException notServing(LabNode node, String what, Path output) throws IOException {
        return new TatamiException(
                ErrorCode.UNAVAILABLE,
                what + " of " + node.name() + " does not serve; it said in " + output + ":\n"
                        + Files.readString(output).strip());
    }

    /** Runs a command that ends by itself. */
    private void run(LabNode node, String what, List<String> command) throws IOException, InterruptedException {
        Path output = node.directory().resolve(what + ".out");
        Process process = spawn(node, command, output);
        if (!process.waitFor(START_MILLIS_MAX, TimeUnit.MILLISECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw notServing(node, what, output);
        }
    }

    private void startHdfs() throws IOException, InterruptedException {
        LabNode first = spec.nodes().get(0);
        run(first, "format", hdfs(NAMENODE, List.of("-format", "-force")));
        start(first, List.of(LabRole.NAMENODE));
        for (LabNode node : spec.nodes()) {
            start(node, List.of(LabRole.DATANODE));
        }
        List<String> report = new ArrayList<>(isolation.entering(first));
        report.addAll(hdfs(DFS_ADMIN, List.of("-report", "-live")));
        String all = "Live datanodes (" + spec.shape().nodes() + ")";
        for (long waited = 0; !report(report).contains(all); waited += POLL_MILLIS) {
            if (waited >= START_MILLIS_MAX || state(first, LabRole.NAMENODE) == ProcessMark.State.GONE) {
                throw notServing(first, LabRole.NAMENODE.word(), first.output(LabRole.NAMENODE));
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** Fails as long as the NameNode does not answer. */
    private static String report(List<String> command) throws InterruptedException {
        try {
            return Program.run(command.toArray(String[]::new));
        } catch (IOException e) {
            return "";
        }
    }
}
