package io.tatami.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.wire.LivingServers;
import io.tatami.meta.state.wire.MetadataServerRecord;
import io.tatami.meta.state.wire.MetadataServerRecord.State;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;

/** What the cluster remembers of its metadata servers beside their groups, as operations change it. */
final class MetadataServers {
    private final ClusterState state;

    MetadataServers(ClusterState state) {
        this.state = state;
    }

    /** @throws TatamiException INVALID_ARGUMENT for the id of one that was removed */
    void requireNotRemoved(ByteString id) throws TatamiException {
        ClusterState.MetadataServer known = state.metadataServer(id);
        if (known != null && known.isRemoved()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the metadata server " + text(id) + " was removed from the cluster; to use this host"
                            + " again, empty its directory and start it with --join, which gives it a new id");
        }
    }

    /**
     * Of a cluster with replicated groups; where each has one server, a directory is put back from a copy when it is
     * lost.
     *
     * @throws TatamiException CORRUPT where the cluster has heard of a newer directory of this server
     */
    void requireNewest(RegisterMetadataServerRequest request) throws TatamiException {
        ClusterState.MetadataServer known = state.metadataServer(request.getServerId());
        if (known != null && request.getMarks() > 0 && isOlder(request.getMarks(), request.getRun(), known.record())) {
            throw new TatamiException(
                    ErrorCode.CORRUPT,
                    "the directory of the metadata server " + text(request.getServerId())
                            + " is an outdated or a second copy: it was marked " + request.getMarks()
                            + " times, and the cluster knows "
                            + known.record().getMarks()
                            + " marks. It lacks entries that the server has acknowledged, so it is refused: empty the"
                            + " directory, start the server with --join, which gives it a new id, add that one (tatami admin"
                            + " metadata add), and remove the old id (tatami admin metadata remove)");
        }
    }

    /**
     * Whether a process speaks for a directory that is older than the one the cluster knows, or that another one
     * serves. Not asked of a server without replicas, whose groups tell where they are served.
     */
    static boolean isOlder(long marks, long run, MetadataServerRecord known) {
        if (known.getRaftPort() == 0) {
            return false;
        }
        return marks < known.getMarks() || (marks == known.getMarks() && marks > 0 && run != known.getRun());
    }

    boolean isKnown(ByteString id) {
        return state.metadataServer(id) != null;
    }

    /** Whether it may be given replicas that too few servers hold. */
    boolean mayHold(ByteString id) {
        ClusterState.MetadataServer known = state.metadataServer(id);
        return known == null || known.record().getState() != State.LEAVING;
    }

    /** Notes where a server is; one that has groups is in service from then on. */
    void note(RegisterMetadataServerRequest request, boolean hasGroups) {
        ClusterState.MetadataServer known = state.metadataServer(request.getServerId());
        MetadataServerRecord.Builder record = known == null
                ? MetadataServerRecord.newBuilder().setServerId(request.getServerId())
                : known.record().toBuilder();
        if (hasGroups && record.getState() == State.SPARE) {
            record.setState(State.IN_SERVICE);
        }
        if (request.getMarks() > record.getMarks()) {
            record.setMarks(request.getMarks()).setRun(request.getRun());
        }
        if (request.hasEndpoint()) {
            record.setHost(request.getEndpoint().getHost())
                    .setPort(request.getEndpoint().getPort())
                    .setRaftHost(request.getRaft().getHost())
                    .setRaftPort(request.getRaft().getPort());
        }
        if (known == null) {
            state.addMetadataServer(record.build());
        } else {
            put(known, record.build());
        }
    }

    /** Without a change of the records where there is none. */
    void put(ClusterState.MetadataServer known, MetadataServerRecord record) {
        if (!record.equals(known.record())) {
            state.putMetadataServer(new ClusterState.MetadataServer(known.number(), record));
        }
    }

    /** @throws TatamiException NOT_FOUND for one that was never met, or has left */
    ClusterState.MetadataServer require(ByteString id) throws TatamiException {
        ClusterState.MetadataServer known = state.metadataServer(id);
        if (known == null || known.isRemoved()) {
            throw new TatamiException(
                    ErrorCode.NOT_FOUND,
                    "no metadata server of the cluster has the id " + text(id)
                            + "; 'tatami admin metadata status URI' lists them");
        }
        return known;
    }

    /** Whether a server was not long silent, as far as the namespace's leader can say so soon. */
    static boolean wasHeardLately(LivingServers heard, ByteString id) {
        return heard.getAllLately() || heard.getLatelyList().contains(id);
    }

    /** An id as it is written. */
    static String text(ByteString id) {
        return id.size() == UuidBytes.LENGTH
                ? UuidBytes.get(id.asReadOnlyByteBuffer()).toString()
                : "of " + id.size() + " bytes";
    }
}
