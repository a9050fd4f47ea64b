package io.tatami.server;

import io.tatami.conf.Settings;
import io.tatami.server.cli.TatamiServer;
import io.tatami.server.node.InitialDirectories;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A cluster in which each group of the metadata service has a process to itself, and the block server has one too: no
 * call between them stays in a JVM. Started and closed by one thread.
 */
public final class ProcessCluster implements AutoCloseable {
    private final Deque<ServerProcess> processes = new ArrayDeque<>();
    private final String uri;

    private ProcessCluster(Path directory, int shards, List<String> options) throws IOException, InterruptedException {
        try {
            uri = keep(start(
                            directory.resolve("namespace"),
                            options,
                            "metadata",
                            "--port=0",
                            "--host-shards=none",
                            "--shards=" + shards))
                    .awaitUri();
            List<ServerProcess> members = new ArrayList<>();
            for (int shard = 0; shard < shards; shard++) {
                members.add(keep(start(
                        directory.resolve("shard-" + shard),
                        options,
                        "metadata",
                        "--port=0",
                        "--host-shards=" + shard,
                        "--join=" + uri)));
            }
            for (ServerProcess member : members) {
                member.awaitUri();
            }
            keep(start(
                            directory.resolve("block"),
                            options,
                            "block",
                            "--metadata=" + uri,
                            "--capacity=1g",
                            "--volume=" + directory.resolve("volume")))
                    .awaitUri();
            InitialDirectories.await(uri, Settings.defaults());
        } catch (IOException | InterruptedException e) {
            processes.forEach(ProcessCluster::closeAfterFailure);
            throw e;
        }
    }

    /**
     * Returns when all of it serves.
     *
     * @param options of every JVM, such as settings
     */
    public static ProcessCluster start(Path directory, int shards, List<String> options)
            throws IOException, InterruptedException {
        return new ProcessCluster(directory, shards, options);
    }

    private static ServerProcess start(Path data, List<String> options, String... start) throws IOException {
        return ServerProcess.start(data, TatamiServer.class, options, List.of(start));
    }

    private ServerProcess keep(ServerProcess process) {
        processes.push(process);
        return process;
    }

    public String uri() {
        return uri;
    }

    private static void closeAfterFailure(ServerProcess process) {
        try {
            process.close();
        } catch (IOException e) {
            System.err.println(e);
        }
    }

    /** Ends the processes, all at once. */
    @Override
    public void close() throws IOException {
        processes.forEach(ServerProcess::beginEnd);
        for (ServerProcess process : processes) {
            process.close();
        }
    }
}
