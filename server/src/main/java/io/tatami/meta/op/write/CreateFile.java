package io.tatami.meta.op.write;

import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.AttributeChanges;
import io.tatami.meta.op.FileRemoval;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.Subject;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.WriteLease;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.file.FileStatus;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.op.file.ResolvedName;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.LeaseRecord;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.Grant;
import java.util.List;

/**
 * Creates a file that the request's session has open for writing, with grants for its first blocks. With
 * {@code overwrite} an existing file is removed in the same step, with its writer's lease.
 *
 * <p>Grants are given as far as the shard has credits. If it has none, the request waits once for credits. Then it
 * succeeds without a grant: a small file needs none, and the writer asks again when it has bytes. A file without a
 * grant is unwritten, see {@link WriteLease}.
 *
 * <p>Fails with ALREADY_EXISTS, LEASE_HELD, PERMISSION_DENIED, UNRESOLVED_LINK, STALE_HANDLE, or INVALID_ARGUMENT for a
 * block size, replication, number of copies or name beyond the limits.
 */
public final class CreateFile implements Operation<ShardState, CreateRequest, CreateReply> {
    private final HandleCheck handles;
    private final FileLimits limits;
    private final WriterLoads writers;

    /** Of a shard that counts no writers. */
    public CreateFile(HandleCheck handles, FileLimits limits) {
        this(handles, limits, WriterLoads.NONE);
    }

    public CreateFile(HandleCheck handles, FileLimits limits, WriterLoads writers) {
        this.handles = handles;
        this.limits = limits;
        this.writers = writers;
    }

    @Override
    public CreateReply decide(ShardState state, RequestContext context, CreateRequest request)
            throws TatamiException, UnsettledException {
        Writer.requireSession(context);
        limits.requireBlockSize(request.getBlockSize());
        FileLimits.requireReplication(request.getReplication(), request.getName());
        FileLimits.requireCopiesMin(request.getCopiesMin(), request.getReplication(), request.getName());
        ResolvedName name = ResolvedName.reach(handles, state, context, request.getHandle(), request.getName());
        EntryRecord before = name.settled(state, context);
        if (before != null && before.hasSymlink()) {
            throw name.unresolvedLink(before);
        }
        name.requireWritableDirectory();
        if (before != null) {
            requireReplaceable(state, name, before, request.getOverwrite());
            FileRemoval.releaseContent(state, before);
        }
        FileId id = state.mintFile();
        HomedFile file = HomedFile.create(state, id, home(state, context, name, request));
        Grants grants = new Grants(
                state, context, request.getClientHost(), ServerId.listOf(request.getExcludedServerIdList()), writers);
        List<Grant> granted = grants.grant(file, request.getGrants(), true);
        if (granted.isEmpty() && request.getGrants() > 0) {
            grants.awaitCredits();
        }
        LeaseRecord lease = Writer.lease(name.handle()).build();
        if (granted.isEmpty()) {
            file.home().setState(HomeRecord.State.UNWRITTEN);
            state.putFirstLease(context.session(), id, lease);
        } else {
            state.putNewLease(context.session(), id, lease);
        }
        file.save();
        EntryRecord entry = entry(context, name, request, file);
        name.put(state, entry, context.nowMillis());
        return CreateReply.newBuilder()
                .setStatus(FileStatus.of(state, name.name(), entry))
                .addAllGrant(granted)
                .setCopiesMin(request.getCopiesMin())
                .build();
    }

    private static void requireReplaceable(ShardState state, ResolvedName name, EntryRecord before, boolean overwrite)
            throws TatamiException {
        if (before.hasMarker()) {
            throw new TatamiException(ErrorCode.ALREADY_EXISTS, name.name() + " already exists as a directory");
        }
        FileEntry file = before.getFile();
        if (overwrite) {
            Access.require(name.caller(), file.getAttributes(), Access.WRITE, Subject.entry(name.name()));
            return;
        }
        if (WriteLease.isOpen(state, file)) {
            throw Reopening.held(state, new FileId(file.getFileId()), name.name());
        }
        throw new TatamiException(ErrorCode.ALREADY_EXISTS, name.name() + " already exists");
    }

    private static EntryRecord entry(RequestContext context, ResolvedName name, CreateRequest request, HomedFile made) {
        FileEntry.Builder file = FileEntry.newBuilder()
                .setFileId(made.id().value())
                .setAttributes(
                        AttributeChanges.inherit(context, name.handle().getAttributes(), request.getModes(), false))
                .setReplication(request.getReplication())
                .setBlockSize(request.getBlockSize());
        if (made.isUnwritten()) {
            file.setUnwrittenBy(context.session().value());
        } else {
            file.setOpen(true);
        }
        return EntryRecord.newBuilder().setFile(file).build();
    }

    private static HomeRecord home(ShardState state, RequestContext context, ResolvedName name, CreateRequest request) {
        return HomeRecord.newBuilder()
                .setEntryGroup(state.id().value())
                .setParentId(name.directory().value())
                .setName(name.name())
                .setState(HomeRecord.State.OPEN)
                .setReplication(request.getReplication())
                .setCopiesMin(request.getCopiesMin())
                .setBlockSize(request.getBlockSize())
                .setWriterSession(context.session().value())
                .setModifiedMillis(context.nowMillis())
                .build();
    }
}
