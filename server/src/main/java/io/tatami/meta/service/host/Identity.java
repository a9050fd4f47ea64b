package io.tatami.meta.service.host;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.DurableFile;
import io.tatami.base.Envelope;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.state.wire.ServerIdentityRecord;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Who a metadata server is, in the file {@code metadata-server.id} of its directory: an {@link Envelope} of kind IDENTITY
 * around a {@code ServerIdentityRecord}. Replaced as a whole.
 *
 * @param server this server's own id, by which groups are its own and nobody else's
 * @param handleKey empty until the cluster has taken the server in
 * @param superuser who formatted the cluster
 * @param groups those this server hosts; none until the cluster has given it some
 * @param replicas how the groups are replicated
 * @param made their stores were made: one that is missing from then on is lost, and never made anew
 */
record Identity(
        UUID server,
        UUID cluster,
        int shards,
        ByteString handleKey,
        String superuser,
        List<GroupId> groups,
        boolean made,
        Replicas replicas) {
    private static final String FILE_NAME = "metadata-server.id";
    private static final int VERSION = 3;

    /** Of 1, files and blocks were numbered apart, and each granted block had records of its own. */
    static final int GROUP_FORMAT_VERSION = 2;

    /**
     * How the groups of the cluster are replicated, as this server knows it.
     *
     * @param count servers that are to hold each group; 1 for a local log
     * @param port where this server's replicas listen, by which the others know them; 0 where there are none
     * @param founds this server is the first member of the cluster's groups, instead of waiting to be made one
     */
    record Replicas(int count, int port, boolean founds) {
        static final Replicas NONE = new Replicas(1, 0, false);

        boolean isReplicated() {
            return count > 1;
        }
    }

    /** A new cluster whose groups are all hosted here. */
    static Identity ofNewCluster(int shards, String superuser, List<GroupId> groups, Replicas replicas) {
        SecureRandom random = new SecureRandom();
        byte[] key = new byte[HandleSigner.KEY_BYTES];
        random.nextBytes(key);
        return new Identity(
                UUID.randomUUID(),
                UUID.randomUUID(),
                shards,
                ByteString.copyFrom(key),
                superuser,
                groups,
                false,
                replicas);
    }

    /** A server that is about to ask a cluster for groups. */
    static Identity ofAsking(UUID cluster, int shards) {
        return new Identity(UUID.randomUUID(), cluster, shards, ByteString.EMPTY, "", List.of(), false, Replicas.NONE);
    }

    /** The same server, taken in by its cluster. */
    Identity afterJoining(ByteString key, String clusterSuperuser, List<GroupId> given, Replicas how) {
        return new Identity(server, cluster, shards, key, clusterSuperuser, given, false, how);
    }

    /** Whether the cluster has given this server groups. */
    boolean isMember() {
        return !groups.isEmpty();
    }

    boolean hostsNamespace() {
        return groups.contains(GroupId.NAMESPACE);
    }

    /** The same server, whose stores were made. */
    Identity afterMaking() {
        return new Identity(server, cluster, shards, handleKey, superuser, groups, true, replicas);
    }

    static Optional<Identity> read(Path directory) throws TatamiException {
        Path file = directory.resolve(FILE_NAME);
        Optional<byte[]> bytes = DurableFile.read(file);
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        Envelope.Opened opened =
                Envelope.unwrap(Envelope.Kind.IDENTITY, VERSION, VERSION, bytes.get(), file.toString());
        try {
            ServerIdentityRecord record = ServerIdentityRecord.parseFrom(opened.payload());
            return Optional.of(new Identity(
                    uuid(record.getServerId(), file),
                    opened.owner(),
                    record.getShards(),
                    record.getHandleKey(),
                    record.getSuperuser(),
                    record.getGroupList().stream().map(GroupId::new).toList(),
                    record.getMade(),
                    new Replicas(Math.max(1, record.getReplicas()), record.getRaftPort(), record.getFounds())));
        } catch (InvalidProtocolBufferException e) {
            throw new TatamiException(ErrorCode.CORRUPT, file + " does not parse", e);
        }
    }

    void write(Path directory) throws TatamiException {
        ServerIdentityRecord record = ServerIdentityRecord.newBuilder()
                .setShards(shards)
                .setHandleKey(handleKey)
                .setSuperuser(superuser)
                .addAllGroup(groups.stream().map(GroupId::value).toList())
                .setMade(made)
                .setServerId(serverIdBytes())
                .setReplicas(replicas.isReplicated() ? replicas.count() : 0)
                .setRaftPort(replicas.port())
                .setFounds(replicas.founds())
                .build();
        DurableFile.replace(
                directory.resolve(FILE_NAME),
                Envelope.wrap(Envelope.Kind.IDENTITY, VERSION, cluster, record.toByteArray()));
    }

    /** The cluster's id in its 16 bytes. */
    ByteString clusterIdBytes() {
        return bytes(cluster);
    }

    /** This server's id in its 16 bytes. */
    ByteString serverIdBytes() {
        return bytes(server);
    }

    private static ByteString bytes(UUID id) {
        return ByteString.copyFrom(UuidBytes.of(id));
    }

    private static UUID uuid(ByteString bytes, Path file) throws TatamiException {
        if (bytes.size() != UuidBytes.LENGTH) {
            throw new TatamiException(ErrorCode.CORRUPT, file + " holds a server id of " + bytes.size() + " bytes");
        }
        return UuidBytes.get(bytes.asReadOnlyByteBuffer());
    }

    GroupRecord record(GroupId group) {
        return GroupRecord.newBuilder()
                .setGroup(group.value())
                .setClusterId(clusterIdBytes())
                .setFormatVersion(GROUP_FORMAT_VERSION)
                .setShards(shards)
                .setHandleKey(handleKey)
                .setReplicas(replicas.isReplicated() ? replicas.count() : 0)
                .build();
    }
}
