package io.tatami.meta.log;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.state.wire.RecordChange;
import io.tatami.meta.state.wire.ReplicatedEntry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * Entries as they stand in the Raft log: a {@code ReplicatedEntry} of {@code records.proto}, or several in a row for
 * one whose changes are longer than {@value #PART_BYTES} bytes, because a message of Raft has a limit.
 */
public final class EntryFormat {
    /** A part is no longer than this, or has one change only. */
    public static final int PART_BYTES = 1 << 20;

    private EntryFormat() {}

    /**
     * The parts of {@code entry}, in order; at least one.
     *
     * @param decidedOn the state it was decided on
     */
    public static List<ReplicatedEntry> parts(LogEntry entry, ProgressRecord decidedOn) {
        List<ReplicatedEntry> parts = new ArrayList<>();
        ReplicatedEntry.Builder part = begin(entry, decidedOn, 0);
        int bytes = 0;
        for (Map.Entry<byte[], Draft.Change> change : entry.changes().entrySet()) {
            RecordChange record = record(change.getKey(), change.getValue().value());
            if (bytes > 0 && bytes + record.getSerializedSize() > PART_BYTES) {
                parts.add(part.setMoreParts(true).build());
                part = begin(entry, decidedOn, parts.size());
                bytes = 0;
            }
            part.addChange(record);
            bytes += record.getSerializedSize();
        }
        parts.add(part.build());
        return parts;
    }

    private static ReplicatedEntry.Builder begin(LogEntry entry, ProgressRecord decidedOn, int part) {
        return ReplicatedEntry.newBuilder()
                .setIndex(entry.index())
                .setLogMillis(entry.logMillis())
                .setStateHash(decidedOn.getStateHash())
                .setDecidedAt(decidedOn.getRaftIndex())
                .setPart(part);
    }

    private static RecordChange record(byte[] key, byte @Nullable [] value) {
        RecordChange.Builder record = RecordChange.newBuilder().setKey(UnsafeByteOperations.unsafeWrap(key));
        if (value != null) {
            record.setValue(UnsafeByteOperations.unsafeWrap(value));
        }
        return record.build();
    }

    /** @throws TatamiException CORRUPT */
    public static ReplicatedEntry parse(ByteBuffer bytes, long raftIndex) throws TatamiException {
        try {
            return ReplicatedEntry.parseFrom(ByteString.copyFrom(bytes));
        } catch (InvalidProtocolBufferException e) {
            throw new TatamiException(ErrorCode.CORRUPT, "entry " + raftIndex + " of the Raft log cannot be parsed", e);
        }
    }

    /** Adds the changes of a part to those of the parts before it. */
    public static void addTo(NavigableMap<byte[], Draft.Change> changes, ReplicatedEntry part) {
        for (RecordChange change : part.getChangeList()) {
            byte[] value = change.hasValue() ? change.getValue().toByteArray() : null;
            changes.put(change.getKey().toByteArray(), new Draft.Change(value));
        }
    }
}
