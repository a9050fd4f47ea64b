package io.tatami.meta.service.host;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.files.CrashPoint;
import io.tatami.meta.service.identity.Identity;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.meta.service.lead.Futures;
import io.tatami.meta.service.replicate.RaftPort;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.RegisterMetadataServerReply;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connector;
import io.tatami.rpc.GroupLeaders;
import io.tatami.rpc.GroupRoutes;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a metadata server comes to its identity. */
sealed interface IdentityBootstrap {
    long MAP_TIMEOUT_MILLIS = 5_000;
    Logger LOG = LoggerFactory.getLogger(IdentityBootstrap.class);

    /** The identity of the directory, made where it has none; a member's. */
    Identity identity(Connector connector) throws TatamiException;

    /** Metadata servers of the cluster; empty where this one is the first. */
    List<InetSocketAddress> seeds();

    /** The first server of a cluster. */
    record Founding(ServerLocation location, NewCluster fresh, RaftPort raftPort) implements IdentityBootstrap {
        @Override
        public Identity identity(Connector connector) throws TatamiException {
            Optional<Identity> known = Identity.read(location.directory());
            if (known.isPresent()) {
                return requireFounder(known.get());
            }
            Identity.Replicas replicas = fresh.replicas() > 1
                    ? new Identity.Replicas(fresh.replicas(), raftPort.choose(location))
                    : Identity.Replicas.NONE;
            Identity made =
                    Identity.ofNewCluster(fresh.shards(), System.getProperty("user.name"), fresh.hosted(), replicas);
            made.write(location.directory());
            return made;
        }

        private Identity requireFounder(Identity known) throws TatamiException {
            if (known.hostsNamespace()) {
                return known;
            }
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    location.directory() + " belongs to a server that joined cluster " + known.cluster()
                            + ", or no longer holds the namespace group; start it with --join and the URI of a"
                            + " metadata server of that cluster");
        }

        @Override
        public List<InetSocketAddress> seeds() {
            return List.of();
        }
    }

    /**
     * A server that joins a cluster, or comes back to one. Its id is kept before it asks for shards, so that after a
     * crash it is given the same ones again.
     */
    record Joining(ServerLocation location, List<InetSocketAddress> seeds, List<Integer> shards, RaftPort raftPort)
            implements IdentityBootstrap {
        @Override
        public Identity identity(Connector connector) throws TatamiException {
            Optional<Identity> known = Identity.read(location.directory());
            return known.isPresent() && !asksForMore(known.get()) ? known.get() : join(known, connector);
        }

        /** A server without groups may ask for some by number at any start. */
        private boolean asksForMore(Identity known) {
            return !known.isMember() || (known.groups().isEmpty() && !shards.isEmpty());
        }

        private Identity join(Optional<Identity> known, Connector connector) throws TatamiException {
            GroupRoutes routes = new GroupRoutes(connector, new GroupLeaders(), () -> seeds, MAP_TIMEOUT_MILLIS);
            ClusterMap map = Futures.result(routes.askForMap());
            UUID cluster = UuidBytes.get(map.getClusterId().asReadOnlyByteBuffer());
            Identity asking = known.isPresent() ? known.get() : ask(cluster, map);
            if (!asking.cluster().equals(cluster)) {
                throw new TatamiException(
                        ErrorCode.WRONG_CLUSTER,
                        location.directory() + " belongs to a server that asked to join cluster " + asking.cluster()
                                + ", not " + cluster + "; use another directory or another --join");
            }
            CrashPoint.hit("meta.join.before-assignment");
            RegisterMetadataServerReply reply = Futures.result(routes.call(
                    GroupId.NAMESPACE,
                    MetaMethods.REGISTER_METADATA_SERVER,
                    CallOptions.DEFAULT,
                    RegisterMetadataServerRequest.newBuilder()
                            .setServerId(asking.serverIdBytes())
                            .setTakeUnassigned(shards.isEmpty())
                            .addAllWantedShard(shards)
                            .build()));
            CrashPoint.hit("meta.join.assigned");
            if (reply.getAssignedGroupCount() == 0 && !shards.isEmpty()) {
                throw new TatamiException(
                        ErrorCode.INVALID_ARGUMENT,
                        "every requested shard already has a metadata server; request other shards");
            }
            Identity member = asking.afterJoining(
                    reply.getHandleKey(),
                    reply.getSuperuser(),
                    reply.getAssignedGroupList().stream().map(GroupId::new).toList(),
                    reply.getReplicas() > 1
                            ? new Identity.Replicas(reply.getReplicas(), raftPort.choose(location))
                            : Identity.Replicas.NONE);
            member.write(location.directory());
            if (member.groups().isEmpty()) {
                LOG.info("every group has as many servers as it shall; this one waits to be given some");
            }
            return member;
        }

        private Identity ask(UUID cluster, ClusterMap map) throws TatamiException {
            Identity asking = Identity.ofAsking(cluster, map.getShards());
            asking.write(location.directory());
            return asking;
        }
    }
}
