package io.tatami.meta.service.move;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Shares;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.LeaseRecord;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.CompleteReply;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.FileClosed;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.LookupReply;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.OutboxDelivery;
import io.tatami.protocol.wire.Status;

/** The least of creating, closing and looking up that a simulation of renames needs; a file has no blocks. */
final class SimulatedFiles {
    /** What closing adds to the length of a file. */
    static final long WRITTEN_BYTES = 10;

    private final HandleCheck handles;

    SimulatedFiles(HandleCheck handles) {
        this.handles = handles;
    }

    void register(GroupTable<ShardState> table) {
        table.write(MetaMethods.CREATE, this::create)
                .write(MetaMethods.COMPLETE, this::close)
                .read(MetaMethods.LOOKUP, this::lookup);
    }

    /** The file is open where a first block is asked for. */
    private CreateReply create(ShardState state, RequestContext context, CreateRequest request)
            throws TatamiException, UnsettledException {
        Handle parent = handles.fresh(state, context, request.getHandle());
        DirectoryId directory = new DirectoryId(parent.getDirectoryId());
        EntryRecord record = state.entry(directory, request.getName());
        MoveMarks.requireSettled(directory, request.getName(), record);
        if (MoveMarks.standing(record) != null) {
            throw new TatamiException(ErrorCode.ALREADY_EXISTS, request.getName());
        }
        FileId file = state.mintFile();
        boolean open = request.getGrants() > 0;
        EntryRecord entry = EntryRecord.newBuilder()
                .setFile(FileEntry.newBuilder()
                        .setFileId(file.value())
                        .setAttributes(Attributes.newBuilder().setOwner("u"))
                        .setReplication(2)
                        .setOpen(open))
                .build();
        state.putEntry(directory, request.getName(), entry);
        Shares.entryChanged(state, directory, null, entry, context.nowMillis());
        HomeRecord.Builder home = HomeRecord.newBuilder()
                .setEntryGroup(state.id().value())
                .setParentId(directory.value())
                .setName(request.getName());
        if (open) {
            home.setState(HomeRecord.State.OPEN)
                    .setWriterSession(context.session().value());
            state.putLease(
                    context.session(),
                    file,
                    LeaseRecord.newBuilder()
                            .addAllAncestorId(parent.getAncestorIdList())
                            .addAncestorId(directory.value())
                            .build());
        }
        state.putHome(file, home.build());
        return CreateReply.newBuilder()
                .setStatus(Status.newBuilder().setId(file.value()))
                .build();
    }

    private CompleteReply close(ShardState state, RequestContext context, CompleteRequest request)
            throws TatamiException {
        FileId file = new FileId(request.getFileId());
        HomeRecord home = state.home(file);
        if (home == null || state.lease(context.session(), file) == null) {
            throw new TatamiException(ErrorCode.LEASE_EXPIRED, file + " is gone");
        }
        state.removeLease(new SessionId(home.getWriterSession()), file);
        HomeRecord closed = home.toBuilder()
                .setState(HomeRecord.State.CLOSED)
                .setWriterSession(0)
                .setLength(home.getLength() + WRITTEN_BYTES)
                .setContentVersion(home.getContentVersion() + 1)
                .build();
        state.putHome(file, closed);
        DirectoryId directory = new DirectoryId(home.getParentId());
        EntryRecord entry = home.getEntryGroup() == state.id().value() ? state.entry(directory, home.getName()) : null;
        if (entry != null && entry.getFile().getFileId() == file.value()) {
            EntryRecord after = entry.toBuilder()
                    .setFile(entry.getFile().toBuilder()
                            .setOpen(false)
                            .setLength(closed.getLength())
                            .setContentVersion(closed.getContentVersion()))
                    .build();
            state.putEntry(directory, home.getName(), after);
            Shares.contentChanged(state, directory, entry, after);
        } else if (home.getEntryGroup() != state.id().value()) {
            state.addOutbox(
                    new GroupId(home.getEntryGroup()),
                    OutboxDelivery.newBuilder()
                            .setClosed(FileClosed.newBuilder()
                                    .setFileId(file.value())
                                    .setParentId(home.getParentId())
                                    .setName(home.getName())
                                    .setLength(closed.getLength())
                                    .setContentVersion(closed.getContentVersion()))
                            .build());
        }
        return CompleteReply.getDefaultInstance();
    }

    private LookupReply lookup(ShardState state, RequestContext context, LookupRequest request)
            throws TatamiException, UnsettledException {
        Handle parent = handles.fresh(state, context, request.getHandle());
        DirectoryId directory = new DirectoryId(parent.getDirectoryId());
        EntryRecord record = state.entry(directory, request.getName());
        MoveMarks.requireReadable(directory, request.getName(), record);
        EntryRecord entry = MoveMarks.standing(record);
        if (entry == null) {
            throw new TatamiException(ErrorCode.NOT_FOUND, request.getName());
        }
        return LookupReply.newBuilder()
                .setStatus(Status.newBuilder().setId(entry.getFile().getFileId()))
                .build();
    }
}
