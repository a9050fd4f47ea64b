package io.tatami.server.cli;

import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.client.TatamiClient;
import io.tatami.server.cli.option.PortNumber;
import io.tatami.server.monitor.Monitoring;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.DataDirectory;
import io.tatami.server.node.Patience;
import io.tatami.server.node.SystemSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code tatami start block}. */
@Command(name = "block", description = "Starts a block server, which joins the cluster with its volumes.")
final class StartBlockCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ServeOptions options;

    @Mixin
    private CacheOptions cache;

    @Option(
            names = "--metadata",
            required = true,
            paramLabel = "URI",
            description = "A metadata server of the cluster.")
    private String metadata;

    @Option(
            names = "--volume",
            required = true,
            paramLabel = "PATH",
            description = "A block device or file for data; may be repeated.")
    private List<Path> volumes;

    @Option(
            names = "--capacity",
            paramLabel = "SIZE",
            defaultValue = "20g",
            converter = ServeOptions.VolumeBytes.class,
            description = "Size of a new volume file (default: ${DEFAULT-VALUE}).")
    private long capacityBytes;

    @Option(
            names = "--port",
            defaultValue = "0",
            converter = PortNumber.class,
            description = "The data port, 0 for any (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--rack",
            paramLabel = "RACK",
            defaultValue = "",
            converter = Rack.class,
            description = "The rack, for example /room1/rack7; without it, metadata servers look it up in Hadoop's"
                    + " topology table or script.")
    private String rack;

    /** A rack as a path. */
    static final class Rack implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            if (!text.isEmpty() && !text.startsWith("/")) {
                throw new TypeConversionException("'" + text + "' is not a rack; write for example /room1/rack7");
            }
            return text;
        }
    }

    @Override
    public Integer call() throws Exception {
        return ServerLifecycle.run(spec, options, Monitoring.Role.BLOCK, monitoring -> {
            ClusterAddress cluster = ClusterAddress.of(metadata);
            UUID id;
            try (TatamiClient client =
                    cluster.connect(Patience.of(spec.commandLine().getErr()))) {
                id = client.clusterId();
            }
            BlockNode node = BlockNode.open(
                    new BlockNode.Setup(
                            new DataDirectory(options.data).block(),
                            volumes,
                            capacityBytes,
                            options.host,
                            port,
                            cache.place(),
                            rack),
                    id,
                    cluster.sockets(),
                    BlockServerSettings.from(SystemSettings.get()),
                    monitoring.watch());
            return new ServerLifecycle.Served(
                    node, "tatami://" + cluster.authority(), node.ended(), watching -> watching.serves(node));
        });
    }
}
