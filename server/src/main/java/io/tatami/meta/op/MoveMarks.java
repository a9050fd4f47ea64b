package io.tatami.meta.op;

import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import io.tatami.meta.op.UnsettledException.EntryArriving;
import io.tatami.meta.op.UnsettledException.EntryLeaving;
import io.tatami.meta.state.MoveMark;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.wire.EntryRecord;
import org.jspecify.annotations.Nullable;

/**
 * The marks that a rename across shards leaves on entries while it is under way. A record of an entry may hold a mark
 * and nothing else; {@link #standing} tells such a one from an entry.
 */
public final class MoveMarks {
    private MoveMarks() {}

    /** The entry that stands under a name, or null where the record is absent or only holds a mark. */
    public static @Nullable EntryRecord standing(@Nullable EntryRecord record) {
        return record == null || record.getKindCase() == EntryRecord.KindCase.KIND_NOT_SET ? null : record;
    }

    /**
     * For readers, before they answer with what stands under the name: an entry that is leaving may already be gone.
     * One that is arriving is not there before its record is, and is no concern of readers.
     *
     * @throws UnsettledException the entry is leaving: its destination knows how that ended
     */
    public static void requireReadable(DirectoryId directory, String name, @Nullable EntryRecord record)
            throws UnsettledException {
        if (record != null && record.getLeavingTransaction() != 0) {
            throw new UnsettledException(leaving(directory, name, record));
        }
    }

    /** What has to be asked of an entry that is leaving. */
    public static EntryLeaving leaving(DirectoryId directory, String name, EntryRecord record) {
        return new EntryLeaving(
                directory,
                name,
                new TransactionId(record.getLeavingTransaction()),
                new MoveMark(record.getLeavingMark()),
                new GroupId(record.getLeavingToGroup()));
    }

    /**
     * For writers, before they change, replace or remove what stands under the name, or put something there.
     *
     * @throws UnsettledException a move of the entry, or onto it, is under way
     */
    public static void requireSettled(DirectoryId directory, String name, @Nullable EntryRecord record)
            throws UnsettledException {
        requireReadable(directory, name, record);
        if (record != null && record.getArrivingTransaction() != 0) {
            throw new UnsettledException(
                    new EntryArriving(directory, name, new TransactionId(record.getArrivingTransaction())));
        }
    }
}
