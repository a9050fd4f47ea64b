package io.tatami.meta.op.outbox;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.CopiesChange;
import io.tatami.meta.op.FileRemoval;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.rename.HomeName;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.CopiesWanted;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.FileClosed;
import io.tatami.protocol.wire.OutboxDelivery;

/**
 * A message from another group's outbox: applied once and in order, by its number; a repeated one is answered and
 * changes nothing. BUSY where one before it has not come yet, so that it is sent again behind that one.
 */
public final class Deliver implements Operation<ShardState, OutboxDelivery, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, OutboxDelivery message) throws TatamiException {
        GroupId from = new GroupId(message.getFromGroup());
        long delivered = state.delivered(from);
        if (message.getNumber() > delivered + 1) {
            throw new TatamiException(
                    ErrorCode.BUSY,
                    "message " + message.getNumber() + " of " + from + " arrived out of order; the last one was "
                            + delivered);
        }
        if (message.getNumber() == delivered + 1) {
            state.putDelivered(from, message.getNumber());
            apply(state, message);
        }
        return Empty.getDefaultInstance();
    }

    private static void apply(ShardState state, OutboxDelivery message) {
        if (message.getUnlinkFileId() != 0) {
            FileRemoval.unlinkHome(state, new FileId(message.getUnlinkFileId()));
        }
        if (message.hasMoved()) {
            HomeName.apply(state, message.getMoved());
        }
        if (message.hasCopies()) {
            CopiesWanted copies = message.getCopies();
            CopiesChange.apply(state, new FileId(copies.getFileId()), copies.getReplication());
        }
        if (message.hasClosed()) {
            applyContent(state, message.getClosed());
        }
    }

    /**
     * What the home says of a file whose name is here. A name that has moved on in the meantime is no concern: the home
     * hears of that too, and tells the new place. One that has come back meanwhile may bring newer content along than
     * the message has. An entry that is leaving takes it like any other, because the move may still be aborted.
     */
    private static void applyContent(ShardState state, FileClosed content) {
        DirectoryId directory = new DirectoryId(content.getParentId());
        EntryRecord record = MoveMarks.standing(state.entry(directory, content.getName()));
        if (record == null
                || !record.hasFile()
                || record.getFile().getFileId() != content.getFileId()
                || record.getFile().getContentVersion() > content.getContentVersion()) {
            return;
        }
        EntryRecord current = record.toBuilder()
                .setFile(HomeName.withContent(record.getFile(), content))
                .build();
        state.entries().changeRecord(directory, content.getName(), current);
    }
}
