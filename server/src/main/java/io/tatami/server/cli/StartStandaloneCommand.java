package io.tatami.server.cli;

import io.tatami.auth.HadoopGroups;
import io.tatami.conf.Settings;
import io.tatami.server.cli.option.PortNumber;
import io.tatami.server.monitor.Monitoring;
import io.tatami.server.node.StandaloneNode;
import io.tatami.server.node.SystemSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tatami start standalone}. */
@Command(
        name = "standalone",
        description = "Starts all of Tatami in one process, waits until it serves, and prints its URI and pid.")
final class StartStandaloneCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ServeOptions options;

    @Mixin
    private CacheOptions cache;

    @Option(
            names = "--port",
            defaultValue = "9480",
            converter = PortNumber.class,
            description = "The metadata server's port, 0 for any (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--capacity",
            paramLabel = "SIZE",
            defaultValue = "20g",
            converter = ServeOptions.VolumeBytes.class,
            description = "Size of a new volume file (default: ${DEFAULT-VALUE}).")
    private long capacityBytes;

    @Option(
            names = "--volume",
            paramLabel = "PATH",
            description = "A block device or file for data; may be repeated (default: a file in DIR).")
    private List<Path> volumes = List.of();

    @Option(
            names = "--shards",
            defaultValue = "8",
            converter = ServeOptions.ShardCount.class,
            description =
                    "Metadata shards of a new cluster, a power of two, fixed for its life (default: ${DEFAULT-VALUE}).")
    private int shards;

    @Override
    public Integer call() throws Exception {
        Settings settings = SystemSettings.get();
        return ServerLifecycle.run(spec, options, Monitoring.Role.METADATA, monitoring -> {
            StandaloneNode node = StandaloneNode.open(
                    new StandaloneNode.Setup(
                            options.data, volumes, capacityBytes, options.host, port, shards, cache.place()),
                    settings,
                    monitoring.around(new HadoopGroups()));
            return new ServerLifecycle.Served(node, node.uri(), node.ended(), watching -> {
                watching.serves(node.metadata());
                watching.serves(node.block());
            });
        });
    }
}
