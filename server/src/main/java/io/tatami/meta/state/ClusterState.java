package io.tatami.meta.state;

import com.google.protobuf.ByteString;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.meta.state.wire.BlockServerRecord;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.MetadataServerRecord;
import io.tatami.meta.state.wire.ReplicationRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who is in the cluster: the namespace group's records of it, over one draft. */
public final class ClusterState extends Records {
    private static final String SERVER = "server";
    private static final String GROUP = "group";
    private static final byte[] REPLICAS = Keys.cluster("replicas", 0);
    private static final String METADATA = "metadata";
    private static final byte[] EPOCH = Keys.singleton("map.epoch");
    private static final byte[] BALANCE = Keys.singleton("balance");
    private static final byte[] SAFE_MODE = Keys.singleton("safe.mode");

    public ClusterState(Draft draft) {
        super(draft);
    }

    /** A block server and its id. */
    public record Server(ServerId id, BlockServerRecord record) {}

    /** Which process hosts a group. */
    public record Host(GroupId group, GroupHostRecord record) {}

    /** A metadata server, also one that has left, under the number of its record. */
    public record MetadataServer(int number, MetadataServerRecord record) {
        public boolean isRemoved() {
            return record.getState() == MetadataServerRecord.State.REMOVED;
        }
    }

    /** The version of the cluster map. */
    public long epoch() {
        return longOr(EPOCH, 0);
    }

    /** To be called by every change of the map. */
    private void raiseEpoch() {
        writeLong(EPOCH, epoch() + 1);
    }

    public boolean isSafeMode() {
        return longOr(SAFE_MODE, 0) != 0;
    }

    public void setSafeMode(boolean on) {
        writeLong(SAFE_MODE, on ? 1 : 0);
        raiseEpoch();
    }

    /** As in {@code ChangeBlockServerRequest}: 0 where nobody has said anything. */
    public int balancePercent() {
        return (int) longOr(BALANCE, 0);
    }

    public void setBalancePercent(int percent) {
        writeLong(BALANCE, percent);
        raiseEpoch();
    }

    public SessionId mintSession() {
        return new SessionId(next("session"));
    }

    /** Never one that was given before. */
    public ServerId mintServer() {
        return new ServerId(Math.toIntExact(next("server")));
    }

    public @Nullable BlockServerRecord server(ServerId id) {
        return read(Keys.cluster(SERVER, id.value()), BlockServerRecord.parser());
    }

    public void putServer(ServerId id, BlockServerRecord record) {
        write(Keys.cluster(SERVER, id.value()), record);
        raiseEpoch();
    }

    /** Its id is never given again. */
    public void removeServer(ServerId id) {
        remove(Keys.cluster(SERVER, id.value()));
        raiseEpoch();
    }

    public List<Server> servers() {
        List<Server> servers = new ArrayList<>();
        byte[] from = Keys.cluster(SERVER, 0);
        try (View.Cursor cursor = draft().scan(from, Keys.cluster(SERVER, Integer.MAX_VALUE))) {
            while (cursor.next()) {
                ServerId id = new ServerId(lastInt(cursor.key()));
                servers.add(new Server(id, parse(cursor.value(), BlockServerRecord.parser())));
            }
        }
        return servers;
    }

    public @Nullable GroupHostRecord host(GroupId group) {
        return read(hostKey(group), GroupHostRecord.parser());
    }

    public void putHost(GroupId group, GroupHostRecord record) {
        write(hostKey(group), record);
        raiseEpoch();
    }

    /** The namespace group has number -1, and keys are compared without signs. */
    private static byte[] hostKey(GroupId group) {
        return Keys.cluster(GROUP, group.value() + 1);
    }

    public List<Host> hosts() {
        List<Host> hosts = new ArrayList<>();
        try (View.Cursor cursor = draft().scan(Keys.cluster(GROUP, 0), Keys.cluster(GROUP, Integer.MAX_VALUE))) {
            while (cursor.next()) {
                GroupId group = new GroupId(lastInt(cursor.key()) - 1);
                hosts.add(new Host(group, parse(cursor.value(), GroupHostRecord.parser())));
            }
        }
        return hosts;
    }

    /**
     * How many servers are to hold each group.
     *
     * @param founded by how many when the cluster was founded; up to 1 for one, with a local log
     */
    public ReplicationRecord replication(int founded) {
        ReplicationRecord known = read(REPLICAS, ReplicationRecord.parser());
        return known == null
                ? ReplicationRecord.newBuilder()
                        .setReplicas(Math.max(1, founded))
                        .build()
                : known;
    }

    public void setReplication(ReplicationRecord goal) {
        write(REPLICAS, goal);
    }

    /** In the order in which the cluster met them, with those that have left. */
    public List<MetadataServer> metadataServers() {
        List<MetadataServer> servers = new ArrayList<>();
        byte[] from = Keys.cluster(METADATA, 0);
        try (View.Cursor cursor = draft().scan(from, Keys.cluster(METADATA, Integer.MAX_VALUE))) {
            while (cursor.next()) {
                servers.add(new MetadataServer(
                        lastInt(cursor.key()), parse(cursor.value(), MetadataServerRecord.parser())));
            }
        }
        return servers;
    }

    /** Null for one that was never met. */
    public @Nullable MetadataServer metadataServer(ByteString id) {
        return metadataServers().stream()
                .filter(server -> server.record().getServerId().equals(id))
                .findFirst()
                .orElse(null);
    }

    public void putMetadataServer(MetadataServer server) {
        write(Keys.cluster(METADATA, server.number()), server.record());
    }

    /** Keeps the record of a server that was not met before. */
    public void addMetadataServer(MetadataServerRecord record) {
        writeNew(Keys.cluster(METADATA, Math.toIntExact(next("metadata-server"))), record);
    }

    private static int lastInt(byte[] key) {
        return ByteBuffer.wrap(key).getInt(key.length - Integer.BYTES);
    }
}
