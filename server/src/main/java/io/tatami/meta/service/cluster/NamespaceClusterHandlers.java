package io.tatami.meta.service.cluster;

import com.google.protobuf.Message;
import io.tatami.base.ServerId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.cluster.ChangeSafeMode;
import io.tatami.meta.op.cluster.OpenSession;
import io.tatami.meta.op.cluster.RegisterBlockServer;
import io.tatami.meta.op.cluster.RegisterMetadataServer;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupParts;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.Handlers;
import io.tatami.meta.state.ClusterState;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Empty;
import java.time.Duration;
import java.util.function.BiFunction;

/** Membership and sessions, as a part of the namespace group. */
public final class NamespaceClusterHandlers implements Handlers<ClusterState> {
    private static final Duration REFRESH_REST = Duration.ofSeconds(1);

    private final ClusterMapHolder maps;

    public NamespaceClusterHandlers(ClusterMapHolder maps) {
        this.maps = maps;
    }

    @Override
    public void register(GroupTable<ClusterState> table, GroupParts<ClusterState> parts) {
        Group<ClusterState> group = parts.group();
        ClusterWatch watch = new ClusterWatch(group, parts.clock(), maps);
        RegisterMetadataServer registerMetadata = new RegisterMetadataServer(
                parts.record().getShards(), parts.record().getHandleKey());
        table.flow(
                        MetaMethods.REGISTER_METADATA_SERVER,
                        changing(
                                watch,
                                group,
                                registerMetadata,
                                (reply, map) -> reply.toBuilder().setMap(map).build()))
                .flow(
                        MetaMethods.REGISTER_BLOCK_SERVER,
                        changing(
                                watch,
                                group,
                                new RegisterBlockServer(),
                                (reply, map) -> reply.toBuilder().setMap(map).build()))
                .flow(MetaMethods.SAFE_MODE, changing(watch, group, new ChangeSafeMode(), (reply, map) -> reply))
                .flow(MetaMethods.HEARTBEAT, (origin, request) -> watch.heartbeat(request))
                .write(MetaMethods.OPEN_SESSION, new OpenSession())
                .flow(
                        MetaMethods.CLOSE_SESSION,
                        (origin, request) ->
                                java.util.concurrent.CompletableFuture.completedFuture(Empty.getDefaultInstance()))
                .background("cluster.map", "k", () -> watch.refresh().thenApply(map -> REFRESH_REST));
    }

    /** An operation after which the map is read anew before the answer, so that whoever has the answer sees the change. */
    private static <Q extends Message, R extends Message> Flow<Q, R> changing(
            ClusterWatch watch,
            Group<ClusterState> group,
            Operation<ClusterState, Q, R> operation,
            BiFunction<R, ClusterMap, R> withMap) {
        return (origin, request) -> group.submit(operation, origin, request).thenCompose(reply -> {
            if (reply instanceof io.tatami.protocol.wire.RegisterBlockServerReply registered) {
                watch.registered(new ServerId(registered.getServerId()));
            }
            return watch.refresh().thenApply(map -> withMap.apply(reply, map));
        });
    }
}
