package io.tatami.meta.service.file;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.file.LocateFile;
import io.tatami.meta.op.file.Lookup;
import io.tatami.meta.op.file.TouchAccessTime;
import io.tatami.meta.op.write.AppendFile;
import io.tatami.meta.op.write.CutFile;
import io.tatami.meta.op.write.ReopenFile;
import io.tatami.meta.op.write.TruncateFile;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.AppendRequest;
import io.tatami.protocol.wire.CutFileRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.LookupReply;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.RecoverFileRequest;
import io.tatami.protocol.wire.RecoverLeaseReply;
import io.tatami.protocol.wire.RecoverLeaseRequest;
import io.tatami.protocol.wire.ReopenFileRequest;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.protocol.wire.Status;
import io.tatami.protocol.wire.TruncateReply;
import io.tatami.protocol.wire.TruncateRequest;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests on files that may take several steps. The shard of a file's name checks the handle and the permissions;
 * where the file's home is another shard, it passes the rest on to that by the file's id:
 *
 * <pre>
 *  client --APPEND--> shard of the name --REOPEN_FILE--> home
 *         --TRUNCATE-->                 --CUT_FILE----->
 *         --RECOVER_LEASE-->            --RECOVER_FILE->
 * </pre>
 *
 * A file whose home is here is changed in one decision, checks included.
 */
final class FileFlows {
    private static final Logger LOG = LoggerFactory.getLogger(FileFlows.class);

    private final PartContext<ShardState> parts;
    private final Lookup lookup;
    private final LocateFile locate;
    private final TouchAccessTime touch;
    private final AppendFile append;
    private final ReopenFile reopen = new ReopenFile();
    private final CutFile cut = new CutFile();
    private final TruncateFile truncate;
    private final FileRecovery recovery;

    FileFlows(PartContext<ShardState> parts, HandleCheck handles, FileRecovery recovery) {
        this.parts = parts;
        this.lookup = new Lookup(handles);
        this.locate = new LocateFile(handles);
        this.touch = new TouchAccessTime(handles);
        this.append = new AppendFile(handles);
        this.truncate = new TruncateFile(handles);
        this.recovery = recovery;
    }

    /**
     * Answers from a snapshot; only an access time that is long past costs a batch. The answer does not hang on whether
     * that could be written.
     */
    CompletableFuture<LookupReply> lookup(RequestOrigin origin, LookupRequest request) {
        CompletableFuture<LookupReply> found = parts.group().read(lookup, origin, request);
        if (!request.getTouch() || !origin.mayWriteBesideReads()) {
            return found;
        }
        return found.thenCompose(reply -> TouchAccessTime.isDue(
                        reply.getStatus(), parts.clock().wallMillis())
                ? parts.group().submit(touch, origin, request).handle((done, thrown) -> untouched(reply, thrown))
                : CompletableFuture.completedFuture(reply));
    }

    private static LookupReply untouched(LookupReply reply, @Nullable Throwable thrown) {
        if (thrown != null) {
            LOG.debug("the access time of file {} stays", reply.getStatus().getId(), thrown);
        }
        return reply;
    }

    /** The one decision here is remembered, and the home remembers its own: a repeated request goes the same way. */
    CompletableFuture<AppendReply> append(RequestOrigin origin, AppendRequest request) {
        return parts.group()
                .submitOnce(MetaMethods.APPEND, append, origin, request)
                .thenCompose(reply -> {
                    FileId file = new FileId(reply.getStatus().getId());
                    return isHere(file)
                            ? CompletableFuture.completedFuture(reply)
                            : reopenAtHome(origin, request, file, reply.getStatus());
                });
    }

    private CompletableFuture<AppendReply> reopenAtHome(
            RequestOrigin origin, AppendRequest request, FileId file, Status status) {
        return parts.peers()
                .call(file.home(), MetaMethods.REOPEN_FILE, reopening(origin, request, status))
                .thenApply(reply -> reply.toBuilder()
                        .setStatus(reply.getStatus().toBuilder().setAttributes(status.getAttributes()))
                        .build());
    }

    /** At the home: once for the client's request, however late a second message about it comes. */
    CompletableFuture<AppendReply> reopen(RequestOrigin client, ReopenFileRequest request) {
        return parts.group().submitOnce(MetaMethods.REOPEN_FILE, reopen, client, request);
    }

    /** Remembered as {@link #append} is. */
    CompletableFuture<TruncateReply> truncate(RequestOrigin origin, TruncateRequest request) {
        return parts.group()
                .submitOnce(MetaMethods.TRUNCATE, truncate, origin, request)
                .thenCompose(reply -> {
                    FileId file = new FileId(reply.getFileId());
                    return isHere(file)
                            ? CompletableFuture.completedFuture(begun(reply))
                            : parts.peers().call(file.home(), MetaMethods.CUT_FILE, cutting(origin, file, request));
                });
    }

    CompletableFuture<RecoverLeaseReply> recoverLease(RequestOrigin origin, RecoverLeaseRequest request) {
        return locate(origin, request.getHandle(), request.getName()).thenCompose(status -> {
            FileId file = new FileId(status.getId());
            RecoverFileRequest recover =
                    RecoverFileRequest.newBuilder().setFileId(status.getId()).build();
            return isHere(file)
                    ? recoverFile(origin, recover)
                    : parts.peers().call(file.home(), MetaMethods.RECOVER_FILE, recover);
        });
    }

    /** At the home. */
    CompletableFuture<RecoverLeaseReply> recoverFile(RequestOrigin origin, RecoverFileRequest request) {
        return recovery.recover(new FileId(request.getFileId()), new SessionId(request.getWriterSession()))
                .thenApply(closed ->
                        RecoverLeaseReply.newBuilder().setClosed(closed).build());
    }

    /** A cut that is not done goes on at once, in the background. */
    private TruncateReply begun(TruncateReply reply) {
        if (!reply.getDone()) {
            recovery.begin(new FileId(reply.getFileId()), SessionId.NONE);
        }
        return reply;
    }

    /** At the home: once for the client's request, see {@link #reopen}. */
    CompletableFuture<TruncateReply> cut(RequestOrigin client, CutFileRequest request) {
        return parts.group()
                .submitOnce(MetaMethods.CUT_FILE, cut, client, request)
                .thenApply(this::begun);
    }

    /** The client whose request another shard passes on: it is remembered in the client's session here, too. */
    static RequestOrigin onBehalf(RequestOrigin origin, long session, long number) {
        return new RequestOrigin(origin.caller(), new SessionId(session), number, 0, origin.deadlineNanos());
    }

    private CompletableFuture<Status> locate(RequestOrigin origin, SignedHandle handle, String name) {
        LookupRequest request =
                LookupRequest.newBuilder().setHandle(handle).setName(name).build();
        return parts.group().read(locate, origin, request).thenApply(LookupReply::getStatus);
    }

    private boolean isHere(FileId file) {
        return file.home().equals(parts.group().id());
    }

    private static CutFileRequest cutting(RequestOrigin origin, FileId file, TruncateRequest request) {
        return CutFileRequest.newBuilder()
                .setSession(origin.session().value())
                .setNumber(origin.number())
                .setFileId(file.value())
                .setLength(request.getLength())
                .build();
    }

    private static ReopenFileRequest reopening(RequestOrigin origin, AppendRequest request, Status status) {
        Handle handle = handleOf(request.getHandle());
        return ReopenFileRequest.newBuilder()
                .setFileId(status.getId())
                .setSession(origin.session().value())
                .setNumber(origin.number())
                .addAllAncestorId(handle.getAncestorIdList())
                .addAncestorId(handle.getDirectoryId())
                .setVersion(handle.getVersion())
                .setReplication(status.getReplication())
                .setNewBlock(request.getNewBlock())
                .build();
    }

    /** The content of a handle that was checked a moment ago. */
    private static Handle handleOf(SignedHandle signed) {
        try {
            return Handle.parseFrom(signed.getPayload());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a handle that was accepted does not parse", e);
        }
    }
}
