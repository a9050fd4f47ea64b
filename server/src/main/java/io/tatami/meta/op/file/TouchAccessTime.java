package io.tatami.meta.op.file;

import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.Subject;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.Status;

/**
 * Brings the access time of a file that is being opened forward, where it is older than {@link #PRECISION_MILLIS}: the
 * part of opening that writes, decided beside the lookup so that most opens write nothing. A file that is gone or on
 * the move is left alone.
 */
public final class TouchAccessTime implements Operation<ShardState, LookupRequest, Empty> {
    /** As HDFS has it by default. */
    public static final long PRECISION_MILLIS = 60 * 60 * 1_000L;

    private final HandleCheck handles;

    public TouchAccessTime(HandleCheck handles) {
        this.handles = handles;
    }

    /** Whether the access time in a lookup's answer is older than the precision. */
    public static boolean isDue(Status status, long nowMillis) {
        return status.getKind() == Status.Kind.FILE
                && nowMillis - status.getAttributes().getAccessedMillis() > PRECISION_MILLIS;
    }

    @Override
    public Empty decide(ShardState state, RequestContext context, LookupRequest request)
            throws TatamiException, UnsettledException {
        ResolvedName name = ResolvedName.reach(handles, state, context, request.getHandle(), request.getName());
        EntryRecord record = state.entry(name.directory(), name.name());
        EntryRecord entry = MoveMarks.standing(record);
        if (entry != null && entry.hasFile() && entry.getLeavingTransaction() == 0) {
            FileEntry file = entry.getFile();
            Access.require(name.caller(), file.getAttributes(), Access.READ, Subject.entry(name.name()));
            if (context.nowMillis() - file.getAttributes().getAccessedMillis() > PRECISION_MILLIS) {
                EntryRecord.Builder touched = entry.toBuilder();
                touched.getFileBuilder().getAttributesBuilder().setAccessedMillis(context.nowMillis());
                state.entries().changeRecord(name.directory(), name.name(), touched.build());
            }
        }
        return Empty.getDefaultInstance();
    }
}
