package io.tatami.meta.service.host;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.GetClusterMapReply;
import io.tatami.protocol.wire.GetClusterMapRequest;
import io.tatami.protocol.wire.RegisterMetadataServerReply;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.netty.RpcClient;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/** How a metadata server comes to its identity. */
sealed interface Start {
    /** The identity of the directory, made where it has none. */
    Identity identity(RpcClient client) throws TatamiException;

    /** Metadata servers of the cluster; empty where this one is the first. */
    List<InetSocketAddress> seeds();

    /** The first server of a cluster. */
    record Founding(MetadataServer.Place place, MetadataServer.NewCluster fresh) implements Start {
        @Override
        public Identity identity(RpcClient client) throws TatamiException {
            Optional<Identity> known = Identity.read(place.directory());
            if (known.isPresent()) {
                return known.get();
            }
            Identity made = Identity.ofNewCluster(fresh.shards(), System.getProperty("user.name"), fresh.hosted());
            made.write(place.directory());
            return made;
        }

        @Override
        public List<InetSocketAddress> seeds() {
            return List.of();
        }
    }

    /** A server that joins a cluster, or comes back to one. */
    record Joining(MetadataServer.Place place, List<InetSocketAddress> seeds, List<Integer> shards) implements Start {
        @Override
        public Identity identity(RpcClient client) throws TatamiException {
            Optional<Identity> known = Identity.read(place.directory());
            if (known.isPresent()) {
                return known.get();
            }
            Connection connection = Awaiting.result(client.connect(seeds.get(0)));
            GetClusterMapReply map = connection.callAndWait(
                    MetaMethods.GET_CLUSTER_MAP, CallOptions.DEFAULT, GetClusterMapRequest.getDefaultInstance());
            RegisterMetadataServerReply reply = connection.callAndWait(
                    MetaMethods.REGISTER_METADATA_SERVER,
                    CallOptions.DEFAULT.withGroup(GroupId.NAMESPACE),
                    RegisterMetadataServerRequest.newBuilder()
                            .setTakeUnassigned(shards.isEmpty())
                            .addAllWantedShard(shards)
                            .build());
            if (reply.getAssignedGroupCount() == 0) {
                throw new TatamiException(
                        ErrorCode.INVALID_ARGUMENT,
                        "every shard asked for has a metadata server already; ask for others, or start none here");
            }
            Identity made = new Identity(
                    connection.clusterId(),
                    map.getMap().getShards(),
                    reply.getHandleKey(),
                    System.getProperty("user.name"),
                    reply.getAssignedGroupList().stream().map(GroupId::new).toList(),
                    false);
            made.write(place.directory());
            return made;
        }
    }
}
