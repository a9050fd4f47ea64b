package io.tatami.meta.service.identity;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.files.DurableFile;
import io.tatami.files.Envelope;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.state.wire.OwnGroupRecord;
import io.tatami.meta.state.wire.ServerIdentityRecord;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Who a metadata server is, in the file {@code metadata-server.id} of its directory: an {@link Envelope} of kind
 * IDENTITY around a {@code ServerIdentityRecord}. Replaced as a whole. Version 3 had one kind of log for all groups,
 * and is read too; what is written is version 4.
 *
 * @param server this server's own id, by which groups are its own and nobody else's
 * @param handleKey empty until the cluster has taken the server in
 * @param superuser who formatted the cluster
 * @param logs the groups this server holds, and by which log; none until the cluster has given it some
 * @param made their stores were made: one that is missing from then on is lost, and never made anew
 * @param replicas how those are replicated that are
 * @param marks raised by each start, and every minute while the server serves: an older copy of the directory is known
 *     by having fewer than the cluster has heard of
 */
public record Identity(
        UUID server,
        UUID cluster,
        int shards,
        ByteString handleKey,
        String superuser,
        SortedMap<GroupId, Log> logs,
        boolean made,
        Replicas replicas,
        long marks) {
    private static final String FILE_NAME = "metadata-server.id";
    private static final int VERSION_MIN = 3;
    private static final int VERSION = 4;

    /** Of 1, files and blocks were numbered apart, and each granted block had records of its own. */
    public static final int GROUP_FORMAT_OLDEST = 2;

    /** Of 2, a store that one server holds has its entries in RocksDB's log, and none beside it. */
    public static final int GROUP_FORMAT_VERSION = 3;

    /** By which log a server holds a group. */
    public enum Log {
        /** Its store's own. */
        LOCAL,
        /** A replicated one from the beginning, whose first member this server is. */
        FOUNDED,
        /**
         * A replicated one, whose first member this server is with what it had served by its store's own log before.
         */
        GROWN,
        /** A replicated one, whose leader makes this server a member and sends it what the group has. */
        GIVEN;

        boolean isReplicated() {
            return this != LOCAL;
        }

        /** Whether this server is the group's first member, instead of waiting to be made one. */
        public boolean founds() {
            return this == FOUNDED || this == GROWN;
        }
    }

    /**
     * How the groups of the cluster are replicated, as this server knows it.
     *
     * @param count servers that are to hold each group, as the cluster was founded; 1 for a local log
     * @param port where this server's replicas listen, by which the others know them; 0 where there were none yet
     */
    public record Replicas(int count, int port) {
        public static final Replicas NONE = new Replicas(1, 0);
    }

    public Identity {
        logs = Collections.unmodifiableSortedMap(new TreeMap<>(logs));
    }

    /** A new cluster whose groups are all hosted here. */
    public static Identity ofNewCluster(int shards, String superuser, List<GroupId> groups, Replicas replicas) {
        SecureRandom random = new SecureRandom();
        byte[] key = new byte[HandleSigner.KEY_BYTES];
        random.nextBytes(key);
        return new Identity(
                UUID.randomUUID(),
                UUID.randomUUID(),
                shards,
                ByteString.copyFrom(key),
                superuser,
                all(groups, replicas.count() > 1 ? Log.FOUNDED : Log.LOCAL),
                false,
                replicas,
                0);
    }

    private static SortedMap<GroupId, Log> all(Collection<GroupId> groups, Log log) {
        SortedMap<GroupId, Log> logs = new TreeMap<>();
        groups.forEach(group -> logs.put(group, log));
        return logs;
    }

    /** A server that is about to ask a cluster for groups. */
    public static Identity ofAsking(UUID cluster, int shards) {
        return new Identity(
                UUID.randomUUID(), cluster, shards, ByteString.EMPTY, "", new TreeMap<>(), false, Replicas.NONE, 0);
    }

    /** The same server, taken in by its cluster. */
    public Identity afterJoining(ByteString key, String clusterSuperuser, List<GroupId> given, Replicas how) {
        Log log = how.count() > 1 ? Log.GIVEN : Log.LOCAL;
        return new Identity(server, cluster, shards, key, clusterSuperuser, all(given, log), false, how, marks);
    }

    /** The same server, whose stores were made. */
    public Identity afterMaking() {
        return new Identity(server, cluster, shards, handleKey, superuser, logs, true, replicas, marks);
    }

    /** The same server, whose replicas are to listen at a port. */
    public Identity withRaftPort(int port) {
        return new Identity(
                server, cluster, shards, handleKey, superuser, logs, made, new Replicas(replicas.count(), port), marks);
    }

    /** The same server, which holds a group by the log given. */
    public Identity holding(GroupId group, Log log) {
        SortedMap<GroupId, Log> more = new TreeMap<>(logs);
        more.put(group, log);
        return new Identity(server, cluster, shards, handleKey, superuser, more, made, replicas, marks);
    }

    /** The same server, which holds a group no more. */
    public Identity without(GroupId group) {
        SortedMap<GroupId, Log> fewer = new TreeMap<>(logs);
        fewer.remove(group);
        return new Identity(server, cluster, shards, handleKey, superuser, fewer, made, replicas, marks);
    }

    /** The same server a mark further on. */
    public Identity afterMark() {
        return new Identity(server, cluster, shards, handleKey, superuser, logs, made, replicas, marks + 1);
    }

    /** Whether the cluster has taken this server in. */
    public boolean isMember() {
        return !handleKey.isEmpty();
    }

    /** Those this server holds. */
    public List<GroupId> groups() {
        return List.copyOf(logs.keySet());
    }

    public boolean hostsNamespace() {
        return logs.containsKey(GroupId.NAMESPACE);
    }

    /** Whether this server holds a group by a replicated log. */
    public boolean isReplicated(GroupId group) {
        Log log = logs.get(group);
        return log != null && log.isReplicated();
    }

    public static Optional<Identity> read(Path directory) throws TatamiException {
        Path file = directory.resolve(FILE_NAME);
        Optional<byte[]> bytes = DurableFile.read(file);
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        Envelope.Opened opened =
                Envelope.unwrap(Envelope.Kind.IDENTITY, VERSION_MIN, VERSION, bytes.get(), file.toString());
        try {
            ServerIdentityRecord record = ServerIdentityRecord.parseFrom(opened.payload());
            return Optional.of(new Identity(
                    uuid(record.getServerId(), file),
                    opened.owner(),
                    record.getShards(),
                    record.getHandleKey(),
                    record.getSuperuser(),
                    opened.version() == VERSION_MIN ? logsOfOldVersion(record) : logs(record, file),
                    record.getMade(),
                    new Replicas(Math.max(1, record.getReplicas()), record.getRaftPort()),
                    record.getMarks()));
        } catch (InvalidProtocolBufferException e) {
            throw new TatamiException(ErrorCode.CORRUPT, file + " cannot be parsed", e);
        }
    }

    private static SortedMap<GroupId, Log> logsOfOldVersion(ServerIdentityRecord record) {
        Log replicated = record.getFounds() ? Log.FOUNDED : Log.GIVEN;
        return all(
                record.getGroupList().stream().map(GroupId::new).toList(),
                record.getReplicas() > 1 ? replicated : Log.LOCAL);
    }

    private static SortedMap<GroupId, Log> logs(ServerIdentityRecord record, Path file) throws TatamiException {
        SortedMap<GroupId, Log> logs = new TreeMap<>();
        for (OwnGroupRecord own : record.getOwnGroupList()) {
            Log log = switch (own.getLog()) {
                case LOCAL -> Log.LOCAL;
                case FOUNDED -> Log.FOUNDED;
                case GROWN -> Log.GROWN;
                case GIVEN -> Log.GIVEN;
                case UNRECOGNIZED ->
                    throw new TatamiException(ErrorCode.CORRUPT, file + " names an unknown kind of log");
            };
            logs.put(new GroupId(own.getGroup()), log);
        }
        return logs;
    }

    private static OwnGroupRecord ownGroup(GroupId group, Log log) {
        return OwnGroupRecord.newBuilder()
                .setGroup(group.value())
                .setLog(
                        switch (log) {
                            case LOCAL -> OwnGroupRecord.Log.LOCAL;
                            case FOUNDED -> OwnGroupRecord.Log.FOUNDED;
                            case GROWN -> OwnGroupRecord.Log.GROWN;
                            case GIVEN -> OwnGroupRecord.Log.GIVEN;
                        })
                .build();
    }

    public void write(Path directory) throws TatamiException {
        ServerIdentityRecord record = ServerIdentityRecord.newBuilder()
                .setShards(shards)
                .setHandleKey(handleKey)
                .setSuperuser(superuser)
                .addAllOwnGroup(logs.entrySet().stream()
                        .map(own -> ownGroup(own.getKey(), own.getValue()))
                        .toList())
                .setMade(made)
                .setServerId(serverIdBytes())
                .setReplicas(replicas.count() > 1 ? replicas.count() : 0)
                .setRaftPort(replicas.port())
                .setMarks(marks)
                .build();
        DurableFile.replace(
                directory.resolve(FILE_NAME),
                Envelope.wrap(Envelope.Kind.IDENTITY, VERSION, cluster, record.toByteArray()));
    }

    /** The cluster's id in its 16 bytes. */
    public ByteString clusterIdBytes() {
        return bytes(cluster);
    }

    /** This server's id in its 16 bytes. */
    public ByteString serverIdBytes() {
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

    public GroupRecord record(GroupId group) {
        return GroupRecord.newBuilder()
                .setGroup(group.value())
                .setClusterId(clusterIdBytes())
                .setFormatVersion(GROUP_FORMAT_VERSION)
                .setShards(shards)
                .setHandleKey(handleKey)
                .setReplicas(replicas.count() > 1 ? replicas.count() : 0)
                .build();
    }
}
