package io.tatami.meta.op.shard;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TreeVersion;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.Marker;
import io.tatami.protocol.wire.ReserveMarkerReply;
import io.tatami.protocol.wire.ReserveMarkerRequest;
import io.tatami.protocol.wire.Status;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a name free of files, for a directory that is about to have it. The marker never says that there is a
 * directory: one that is left behind costs whoever meets it a question, and takes the name from nobody.
 */
public final class ReserveMarker implements Operation<ShardState, ReserveMarkerRequest, ReserveMarkerReply> {
    @Override
    public ReserveMarkerReply decide(ShardState state, RequestContext context, ReserveMarkerRequest request)
            throws TatamiException, UnsettledException {
        DirectoryId parent = new DirectoryId(request.getParentId());
        if (Arrivals.isGiven(state, parent, request.getName())) {
            throw new TatamiException(
                    ErrorCode.BUSY,
                    "the entries of directory " + request.getParentId()
                            + " are being spread over more shards; ask again");
        }
        Arrivals.requireHere(
                state, parent, request.getName(), request.getParentSpread(), request.getParentWideningFrom());
        EntryRecord record = state.entry(parent, request.getName());
        MoveMarks.requireSettled(parent, request.getName(), record);
        EntryRecord entry = MoveMarks.standing(record);
        if (entry != null && !entry.hasMarker()) {
            return taken(entry);
        }
        if (!request.getAskOnly() && isOlder(entry, new TreeVersion(request.getVersion()))) {
            state.entries()
                    .changeRecord(
                            parent,
                            request.getName(),
                            EntryRecord.newBuilder()
                                    .setMarker(Marker.newBuilder()
                                            .setDirectoryId(request.getDirectoryId())
                                            .setVersion(request.getVersion()))
                                    .build());
        }
        return ReserveMarkerReply.getDefaultInstance();
    }

    private static boolean isOlder(@Nullable EntryRecord entry, TreeVersion version) {
        return entry == null || !new TreeVersion(entry.getMarker().getVersion()).isAbove(version);
    }

    private static ReserveMarkerReply taken(EntryRecord entry) {
        ReserveMarkerReply.Builder reply = ReserveMarkerReply.newBuilder().setTaken(true);
        if (entry.hasSymlink()) {
            reply.setTakenBy(Status.Kind.SYMLINK)
                    .setSymlinkTarget(entry.getSymlink().getTarget());
        }
        return reply.build();
    }
}
