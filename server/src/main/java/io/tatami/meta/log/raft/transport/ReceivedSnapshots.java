package io.tatami.meta.log.raft.transport;

import io.tatami.files.CrashPoint;
import io.tatami.files.DurableFile;
import io.tatami.meta.log.raft.snapshot.GroupSnapshots;
import io.tatami.meta.log.raft.snapshot.SnapshotProgress;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.FileChunkProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto.SnapshotChunkProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotResult;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.MD5FileUtil;

/**
 * What Ratis is told of snapshots that come. It would write the digest of each file beside it, with a flush of the
 * device for each; here the digests are compared, and Ratis does not see where a file ends. That it has a snapshot is
 * told to the leader, which counts on it from then on, when the snapshot's name is durable; its files are before it has
 * that name, see {@link GroupSnapshots#flushReceived}. Safe for use by many threads.
 */
public final class ReceivedSnapshots {
    private final RaftProperties properties;
    private final Map<RaftGroupId, Receiving> receiving = new ConcurrentHashMap<>();

    /** A snapshot on its way, of which one piece comes after the other. */
    private static final class Receiving {
        private final String request;
        private final long bytesTotal;
        private MessageDigest digest = MD5FileUtil.newMD5();

        private long bytes;

        private Receiving(String request, long bytesTotal) {
            this.request = request;
            this.bytesTotal = bytesTotal;
        }

        private synchronized SnapshotProgress progress() {
            return new SnapshotProgress(bytes, bytesTotal);
        }

        /** @throws IOException where a file that is complete is not the one that was sent */
        private synchronized void add(FileChunkProto piece) throws IOException {
            if (piece.getOffset() == 0) {
                digest = MD5FileUtil.newMD5();
            }
            digest.update(piece.getData().asReadOnlyByteBuffer());
            bytes += piece.getData().size();
            if (piece.getDone() && !ByteString.copyFrom(digest.digest()).equals(piece.getFileDigest())) {
                throw new IOException(piece.getFilename() + " of the leader's snapshot was damaged in transfer; it is"
                        + " sent again");
            }
        }
    }

    /** @param properties say where the logs are, once a snapshot comes */
    ReceivedSnapshots(RaftProperties properties) {
        this.properties = properties;
    }

    /** How much has come of what a group is being sent; empty where that is nothing. */
    public Optional<SnapshotProgress> progress(RaftGroupId group) {
        return Optional.ofNullable(receiving.get(group)).map(Receiving::progress);
    }

    /** The server, as others send it snapshots. */
    RaftServer taking(RaftServer server) {
        return HeldCalls.around(RaftServer.class, server, InstallSnapshotRequestProto.class, this::take);
    }

    private Object take(InstallSnapshotRequestProto request, HeldCalls.Call<InstallSnapshotRequestProto> call)
            throws Throwable {
        if (!request.hasSnapshotChunk()) {
            return call.make(request);
        }
        RaftGroupId group = RatisGroups.of(request.getServerRequest());
        SnapshotChunkProto chunk = request.getSnapshotChunk();
        Receiving here = receiving.compute(
                group,
                (id, known) -> known == null || !known.request.equals(chunk.getRequestId())
                        ? new Receiving(chunk.getRequestId(), chunk.getTotalSize())
                        : known);
        boolean goesOn = false;
        try {
            for (FileChunkProto piece : chunk.getFileChunksList()) {
                here.add(piece);
            }
            Object reply = call.make(withoutEnds(request));
            goesOn = !chunk.getDone() && isTaken(reply);
            if (chunk.getDone() && isTaken(reply)) {
                CrashPoint.hit("meta.snapshot.renamed");
                DurableFile.syncDirectory(RatisGroups.directory(properties, group));
                CrashPoint.hit("meta.snapshot.before-told");
            }
            return reply;
        } finally {
            if (!goesOn) {
                boolean unused = receiving.remove(group, here);
            }
        }
    }

    private static boolean isTaken(Object reply) {
        return reply instanceof InstallSnapshotReplyProto told && told.getResult() == InstallSnapshotResult.SUCCESS;
    }

    private static InstallSnapshotRequestProto withoutEnds(InstallSnapshotRequestProto request) {
        InstallSnapshotRequestProto.Builder changed = request.toBuilder();
        changed.getSnapshotChunkBuilder().getFileChunksBuilderList().forEach(piece -> piece.setDone(false));
        return changed.build();
    }
}
