package io.tatami.meta.op;

import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.HomeRecordOrBuilder;
import io.tatami.meta.state.wire.LeaseRecord;
import org.jspecify.annotations.Nullable;

/**
 * The lease under which a file is open, at its home.
 *
 * <p>A file that is made without a block has a first lease, which only the memory of the shard's leader holds: the
 * records say that the file is empty and who may begin to write it. So closing it again changes no record and waits for
 * no device. With the first thing that is written it gets a lease as others have. With the leader the first lease is
 * lost: the file is closed for all but its writer, who may still begin, unless another has opened it by then.
 */
public final class WriteLease {
    private WriteLease() {}

    /** Null where there is none. */
    public static @Nullable LeaseRecord of(ShardState state, FileId file, HomeRecordOrBuilder home) {
        SessionId writer = new SessionId(home.getWriterSession());
        return switch (home.getState()) {
            case UNWRITTEN -> state.firstLease(writer, file);
            case OPEN, RECOVERING, TRUNCATING -> state.lease(writer, file);
            case CLOSED, UNRECOGNIZED -> null;
        };
    }

    /** Puts another in place of what {@link #of} found. */
    public static void change(ShardState state, FileId file, HomeRecordOrBuilder home, LeaseRecord lease) {
        SessionId writer = new SessionId(home.getWriterSession());
        if (home.getState() == HomeRecord.State.UNWRITTEN) {
            state.putFirstLease(writer, file, lease);
        } else {
            state.putLease(writer, file, lease);
        }
    }

    /** For a file whose home is about to be another than the one given, or to go. */
    public static void remove(ShardState state, FileId file, HomeRecordOrBuilder home) {
        SessionId writer = new SessionId(home.getWriterSession());
        switch (home.getState()) {
            case UNWRITTEN -> {
                // Where it was lost the file has counted as closed, and who reads old records is to find that.
                if (state.firstLease(writer, file) != null) {
                    state.spendFirstLease(writer, file);
                }
            }
            case OPEN, RECOVERING, TRUNCATING -> state.removeLease(writer, file);
            case CLOSED, UNRECOGNIZED -> {}
        }
    }

    /** Whether somebody writes a file, or it is being recovered or cut, by its home. */
    public static boolean isOpen(ShardState state, FileId file, HomeRecordOrBuilder home) {
        return switch (home.getState()) {
            case UNWRITTEN -> isFirstHeld(state, home.getWriterSession(), file);
            case OPEN, RECOVERING, TRUNCATING -> true;
            case CLOSED, UNRECOGNIZED -> false;
        };
    }

    /** {@link #isOpen} by its entry; of a file whose home is another shard only that can tell for sure. */
    public static boolean isOpen(ShardState state, FileEntry file) {
        FileId id = new FileId(file.getFileId());
        return file.getOpen()
                || (file.getUnwrittenBy() != 0
                        && (!id.home().equals(state.id()) || isFirstHeld(state, file.getUnwrittenBy(), id)));
    }

    private static boolean isFirstHeld(ShardState state, long writer, FileId file) {
        return state.firstLease(new SessionId(writer), file) != null;
    }

    /** An entry as another shard is to have it: where the file is closed, that need not ask its home. */
    public static EntryRecord forElsewhere(ShardState state, EntryRecord entry) {
        if (entry.getFile().getUnwrittenBy() == 0 || isOpen(state, entry.getFile())) {
            return entry;
        }
        return entry.toBuilder()
                .setFile(entry.getFile().toBuilder().clearUnwrittenBy())
                .build();
    }
}
