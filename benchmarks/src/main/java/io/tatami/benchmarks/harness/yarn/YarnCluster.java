package io.tatami.benchmarks.harness.yarn;

import io.tatami.benchmarks.harness.host.FreePorts;
import io.tatami.benchmarks.harness.host.HostNames;
import io.tatami.benchmarks.harness.host.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;

/**
 * YARN's own daemons as processes: a ResourceManager, a NodeManager and MapReduce's history server, all on loopback,
 * with whatever file system the configuration names as the default. Closing it ends them and removes what they wrote
 * locally.
 */
public final class YarnCluster implements AutoCloseable {
    private static final String LOOPBACK = "localhost";
    private static final int CONTAINERS_MEBIBYTES = 4096;

    private final Path directory;
    private final Configuration configuration;
    private final List<ServerProcess> processes = new ArrayList<>();

    private YarnCluster(Path directory, Configuration configuration) {
        this.directory = directory;
        this.configuration = configuration;
    }

    /** Starts the daemons with room for seven tasks and their master. */
    public static YarnCluster start(Path directory, Configuration base) throws IOException, InterruptedException {
        return start(directory, base, CONTAINERS_MEBIBYTES);
    }

    /**
     * Starts the daemons.
     *
     * @param directory empty; for local files and logs
     * @param base names the default file system
     * @param containersMebibytes which tasks and masters share, 512 each
     */
    public static YarnCluster start(Path directory, Configuration base, int containersMebibytes)
            throws IOException, InterruptedException {
        Configuration configuration = YarnSettings.of(
                directory, directory.resolve("conf"), base, containersMebibytes, HostNames.javaOptions());
        YarnSettings.listen(configuration, LOOPBACK, LOOPBACK, FreePorts.take(YarnSettings.PORTS));
        YarnCluster cluster = new YarnCluster(directory, configuration);
        try {
            cluster.startProcesses();
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** What jobs are submitted with. */
    public Configuration configuration() {
        return configuration;
    }

    private void startProcesses() throws IOException, InterruptedException {
        Path conf = YarnSettings.write(configuration, directory.resolve("conf"));
        processes.add(daemon(YarnSettings.RESOURCE_MANAGER, "resourcemanager", conf));
        processes.add(daemon(YarnSettings.NODE_MANAGER, "nodemanager", conf));
        processes.add(daemon(YarnSettings.HISTORY_SERVER, "history", conf));
        YarnSettings.awaitNode(configuration, processes, YarnSettings.START_LIMIT);
    }

    private ServerProcess daemon(String mainClass, String name, Path conf) throws IOException {
        return ServerProcess.start(
                mainClass, YarnSettings.JAVA_OPTIONS, conf, List.of(), directory.resolve(name + ".out"));
    }

    @Override
    public void close() {
        Collections.reverse(processes);
        for (ServerProcess process : processes) {
            process.close();
        }
        ContainerProcesses.end(directory);
        FileUtil.fullyDelete(directory.toFile());
    }
}
