package io.tatami.benchmarks.dfsio;

import io.tatami.benchmarks.peer.Peer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** The client JVM of one peer in one round; its jobs run in Hadoop's local runner. Owned by one thread. */
final class DfsioClient implements AutoCloseable {
    private final int files;
    private final Process process;
    private final BufferedReader replies;
    private final PrintWriter commands;

    /**
     * What TestDFSIO reported.
     *
     * @param mapSeconds its maps' times, added up: bytes by this is its "Throughput"
     * @param jobSeconds the job as a whole, closing of the files included
     * @param cpuSeconds of this JVM
     */
    record Outcome(double mapSeconds, double jobSeconds, double cpuSeconds) {}

    DfsioClient(Peer peer, int files, Path directory) throws IOException {
        this.files = files;
        Files.createDirectories(directory);
        try (OutputStream site = Files.newOutputStream(directory.resolve("core-site.xml"))) {
            configure(peer, directory).writeXml(site);
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseParallelGC",
                "-Dhadoop.root.logger=WARN,console"));
        command.addAll(List.of(
                "-cp",
                directory + ":" + System.getProperty("java.class.path"),
                DfsioWorker.class.getName(),
                directory.resolve("report").toString()));
        this.process = new ProcessBuilder(command)
                .redirectError(directory.resolve("client.err").toFile())
                .start();
        this.replies = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.commands = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
        await("ready");
    }

    private Configuration configure(Peer peer, Path directory) {
        Configuration configuration = new Configuration(peer.configuration());
        configuration.set("mapreduce.framework.name", "local");
        configuration.setInt("mapreduce.local.map.tasks.maximum", files);
        configuration.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
        // The unit in which TestDFSIO calls write and read, its -bufferSize; the same for both peers.
        configuration.setInt("test.io.file.buffer.size", 1 << 20);
        return configuration;
    }

    /** Runs {@code -write} or {@code -read} over files of {@code mebibytes} each. */
    Outcome run(String direction, int mebibytes) throws IOException {
        return run("-" + direction + " -nrFiles " + files + " -size " + mebibytes + "MB -bufferSize 1048576");
    }

    /** Removes what the runs wrote. */
    void clean() throws IOException {
        run("-clean");
    }

    private Outcome run(String line) throws IOException {
        double cpuBegin = cpuSeconds();
        commands.println(line);
        String[] words = await("done").split(" ", -1);
        return new Outcome(Double.parseDouble(words[1]), Double.parseDouble(words[2]), cpuSeconds() - cpuBegin);
    }

    private double cpuSeconds() {
        return process.toHandle()
                        .info()
                        .totalCpuDuration()
                        .orElse(Duration.ZERO)
                        .toNanos()
                / 1e9;
    }

    private String await(String word) throws IOException {
        for (String line = replies.readLine(); line != null; line = replies.readLine()) {
            if (line.startsWith(word)) {
                return line;
            }
            if (line.startsWith("failed")) {
                throw new IOException("TestDFSIO " + line + "; its log is client.err beside its configuration");
            }
        }
        throw new IOException("the TestDFSIO client ended; its log is client.err beside its configuration");
    }

    @Override
    public void close() {
        commands.close();
        process.destroy();
    }
}
