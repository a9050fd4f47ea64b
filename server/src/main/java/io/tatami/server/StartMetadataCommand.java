package io.tatami.server;

import io.tatami.auth.HadoopGroups;
import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.service.host.GroupMapping;
import io.tatami.meta.service.host.MetadataServer;
import java.util.ArrayList;
import java.util.List;
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

    @Option(names = "--port", defaultValue = "9480", description = "The port, 0 for any (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = "--join", paramLabel = "URI", description = "A metadata server of the cluster to join.")
    private String join = "";

    @Option(
            names = "--shards",
            defaultValue = "16",
            description = "Shards of a new cluster, a power of two, fixed for its life (default: ${DEFAULT-VALUE}).")
    private int shards;

    @Option(
            names = "--host-shards",
            split = ",",
            paramLabel = "NUMBER",
            description = "Shards this server is to host (default: all that nobody hosts).")
    private List<Integer> hosted = List.of();

    @Override
    public Integer call() throws Exception {
        Settings settings = SystemSettings.get();
        return Serving.run(spec, options, () -> {
            MetadataServer server = open(settings, new HadoopGroups());
            return new Serving.Served(
                    server, "tatami://" + options.host + ":" + server.address().getPort());
        });
    }

    private MetadataServer open(Settings settings, GroupMapping groups) throws TatamiException {
        MetadataServer.Place place =
                new MetadataServer.Place(new DataDirectory(options.data).meta(), options.host, port);
        if (!join.isEmpty()) {
            return MetadataServer.join(
                    place, ClusterAddress.of(join).sockets(), hosted, settings, groups, Clock.SYSTEM);
        }
        MetadataServer.NewCluster fresh = MetadataServer.NewCluster.onOneServer(shards);
        if (!hosted.isEmpty()) {
            List<GroupId> some = new ArrayList<>(List.of(GroupId.NAMESPACE));
            hosted.forEach(shard -> some.add(GroupId.ofShard(shard)));
            fresh = new MetadataServer.NewCluster(shards, some);
        }
        return MetadataServer.open(place, fresh, settings, groups, Clock.SYSTEM);
    }
}
