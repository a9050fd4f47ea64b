package io.tatami.meta.log.raft;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.files.DurableFile;
import io.tatami.files.Envelope;
import io.tatami.meta.state.wire.RaftGroupRecord;
import io.tatami.meta.state.wire.RaftMemberRecord;
import io.tatami.meta.state.wire.RaftServerRecord;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Whose logs lie in a directory, and which groups' were made there: the file {@code raft-server.id}, an
 * {@link Envelope} of kind IDENTITY around a {@code RaftServerRecord}. A log that is gone is noticed by it: a server
 * that has forgotten how it voted and what it acknowledged must not come back as the one that did (RATIS-1995). Safe
 * for use by any thread.
 */
final class RaftRecords {
    private static final String FILE_NAME = "raft-server.id";
    private static final int VERSION = 1;

    private final Path file;
    private final UUID cluster;
    private RaftServerRecord record;

    private RaftRecords(Path file, UUID cluster, RaftServerRecord record) {
        this.file = file;
        this.cluster = cluster;
        this.record = record;
    }

    /** Reads the record of a directory, or makes one in a directory that has none. */
    static RaftRecords open(Path directory, UUID cluster, UUID server) throws TatamiException {
        Path file = directory.resolve(FILE_NAME);
        Optional<byte[]> bytes = DurableFile.read(file);
        if (bytes.isEmpty()) {
            RaftRecords fresh = new RaftRecords(
                    file,
                    cluster,
                    RaftServerRecord.newBuilder().setServerId(bytesOf(server)).build());
            fresh.write();
            return fresh;
        }
        Envelope.Opened opened =
                Envelope.unwrap(Envelope.Kind.IDENTITY, VERSION, VERSION, bytes.get(), file.toString());
        if (!opened.owner().equals(cluster)) {
            throw new TatamiException(
                    ErrorCode.WRONG_CLUSTER,
                    directory + " has logs of cluster " + opened.owner() + ", not of " + cluster
                            + "; use another directory for this server");
        }
        RaftServerRecord record = parse(opened.payload(), file);
        if (!record.getServerId().equals(bytesOf(server))) {
            throw new TatamiException(
                    ErrorCode.CORRUPT,
                    directory + " contains the logs of another metadata server, "
                            + UuidBytes.get(record.getServerId().asReadOnlyByteBuffer()) + ", not of " + server
                            + "; put the directory of this server back");
        }
        return new RaftRecords(file, cluster, record);
    }

    private static RaftServerRecord parse(byte[] payload, Path file) throws TatamiException {
        try {
            return RaftServerRecord.parseFrom(payload);
        } catch (InvalidProtocolBufferException e) {
            throw new TatamiException(ErrorCode.CORRUPT, file + " cannot be parsed", e);
        }
    }

    /** What is known of a group's log; none where it was never opened here. */
    synchronized Optional<RaftGroupRecord> find(GroupId group) {
        return record.getGroupList().stream()
                .filter(known -> known.getGroup() == group.value())
                .findFirst();
    }

    /** Notes that a group's log is about to be made. */
    synchronized void begin(GroupId group, List<Member> founders) throws TatamiException {
        RaftGroupRecord.Builder begun = RaftGroupRecord.newBuilder().setGroup(group.value());
        for (Member founder : founders) {
            begun.addFounder(RaftMemberRecord.newBuilder()
                    .setServerId(bytesOf(founder.server()))
                    .setHost(founder.address().getHostString())
                    .setPort(founder.address().getPort()));
        }
        put(begun.build());
    }

    /** Notes that a group's log was made. */
    synchronized void made(GroupId group) throws TatamiException {
        Optional<RaftGroupRecord> begun = find(group);
        if (begun.isPresent() && !begun.get().getMade()) {
            put(begun.get().toBuilder().setMade(true).build());
        }
    }

    /** The groups whose logs are or may be here. */
    synchronized List<GroupId> groups() {
        return record.getGroupList().stream()
                .map(known -> new GroupId(known.getGroup()))
                .toList();
    }

    /** Notes that nothing of a group is here any more. */
    synchronized void forget(GroupId group) throws TatamiException {
        RaftServerRecord.Builder next = record.toBuilder().clearGroup();
        record.getGroupList().stream()
                .filter(known -> known.getGroup() != group.value())
                .forEach(next::addGroup);
        record = next.build();
        write();
    }

    /** Who founded a group. */
    static List<Member> founders(RaftGroupRecord group) {
        return group.getFounderList().stream()
                .map(founder -> new Member(
                        UuidBytes.get(founder.getServerId().asReadOnlyByteBuffer()),
                        InetSocketAddress.createUnresolved(founder.getHost(), founder.getPort())))
                .toList();
    }

    private void put(RaftGroupRecord group) throws TatamiException {
        RaftServerRecord.Builder next = record.toBuilder().clearGroup();
        record.getGroupList().stream()
                .filter(known -> known.getGroup() != group.getGroup())
                .forEach(next::addGroup);
        record = next.addGroup(group).build();
        write();
    }

    private void write() throws TatamiException {
        DurableFile.replace(file, Envelope.wrap(Envelope.Kind.IDENTITY, VERSION, cluster, record.toByteArray()));
    }

    private static ByteString bytesOf(UUID id) {
        return ByteString.copyFrom(UuidBytes.of(id));
    }
}
