package io.tatami.server.cli;

import io.tatami.auth.HadoopGroups;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.service.host.HostSurroundings;
import io.tatami.meta.service.host.MetadataServer;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.server.cli.option.PortNumber;
import io.tatami.server.monitor.Monitoring;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.DataDirectory;
import io.tatami.server.node.HostedShards;
import io.tatami.server.node.SystemSettings;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tatami start metadata}. */
@Command(
        name = "metadata",
        description =
                "Starts a metadata server: the first of a new cluster, or with --join one that takes shards nobody"
                        + " hosts yet.")
final class StartMetadataCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ServeOptions options;

    @Option(
            names = "--port",
            defaultValue = "9480",
            converter = PortNumber.class,
            description = "The port, 0 for any (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = "--join", paramLabel = "URI", description = "A metadata server of the cluster to join.")
    private String join = "";

    @Option(
            names = "--shards",
            defaultValue = "16",
            converter = ServeOptions.ShardCount.class,
            description = "Shards of a new cluster, a power of two, fixed for its life (default: ${DEFAULT-VALUE}).")
    private int shards;

    @Option(
            names = "--replicas",
            defaultValue = "1",
            paramLabel = "N",
            description = "The number of replicas of each group of a new cluster, an odd number: with 3, any one"
                    + " server may be lost (default: ${DEFAULT-VALUE}).")
    private int replicas;

    @Option(
            names = "--host-shards",
            paramLabel = "NUMBERS",
            converter = HostedShards.Converter.class,
            description = "The shards of this server, for example 0,1. 'none' is for the first server of a cluster."
                    + " Used only if DIR is new (default: all shards without a server).")
    private HostedShards hosted = HostedShards.ALL_FREE;

    @Override
    public Integer call() throws Exception {
        Settings settings = SystemSettings.get();
        return ServerLifecycle.run(spec, options, Monitoring.Role.METADATA, monitoring -> {
            MetadataServer server = open(settings, monitoring.around(new HadoopGroups()));
            String uri = "tatami://" + options.host + ":" + server.address().getPort();
            return new ServerLifecycle.Served(server, uri, server.ended(), watching -> watching.serves(server));
        });
    }

    private MetadataServer open(Settings settings, HostSurroundings around) throws TatamiException {
        ServerLocation location = new ServerLocation(new DataDirectory(options.data).meta(), options.host, port);
        if (!join.isEmpty()) {
            return MetadataServer.join(
                    location, ClusterAddress.of(join).sockets(), hosted.ofJoining(), settings, around);
        }
        return MetadataServer.open(location, hosted.ofNewCluster(shards, replicas), settings, around);
    }
}
