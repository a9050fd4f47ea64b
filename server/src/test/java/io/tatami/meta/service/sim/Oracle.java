package io.tatami.meta.service.sim;

import com.google.protobuf.Message;
import io.tatami.base.Check;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.op.lease.BeginRecovery;
import io.tatami.meta.op.lease.FinishRecovery;
import io.tatami.meta.op.remove.BulkDelete;
import io.tatami.meta.op.remove.DeleteFile;
import io.tatami.meta.op.rename.CommitMove;
import io.tatami.meta.op.rename.RenameFile;
import io.tatami.meta.op.tree.CommitDelete;
import io.tatami.meta.op.tree.CommitMkdirs;
import io.tatami.meta.op.tree.CommitRename;
import io.tatami.meta.op.tree.wire.CommitDeleteRequest;
import io.tatami.meta.op.tree.wire.CommitMkdirsRequest;
import io.tatami.meta.op.tree.wire.CommitRenameRequest;
import io.tatami.meta.op.write.AddBlocks;
import io.tatami.meta.op.write.AppendFile;
import io.tatami.meta.op.write.CompleteFile;
import io.tatami.meta.op.write.ConcatFiles;
import io.tatami.meta.op.write.CreateFile;
import io.tatami.meta.op.write.CutFile;
import io.tatami.meta.op.write.ReopenFile;
import io.tatami.meta.op.write.TruncateFile;
import io.tatami.meta.service.host.SteppedWork.Decided;
import io.tatami.meta.state.wire.CommitMoveRequest;
import io.tatami.meta.state.wire.FinishRecoveryRequest;
import io.tatami.meta.state.wire.RecoverFileReply;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.BulkDeleteReply;
import io.tatami.protocol.wire.BulkDeleteRequest;
import io.tatami.protocol.wire.CompleteReply;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.ConcatRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.CutFileRequest;
import io.tatami.protocol.wire.DeleteFileRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.MkdirsReply;
import io.tatami.protocol.wire.RecoverFileRequest;
import io.tatami.protocol.wire.RenameFileRequest;
import io.tatami.protocol.wire.ReopenFileRequest;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.protocol.wire.TruncateReply;
import io.tatami.protocol.wire.TruncateRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Sees every commit of every group at the moment when it becomes durable, and has the model do the same. So the order
 * of the commits is the one order in which everything must have happened, and every operation must be possible in it
 * with the result that it had. Also counts how often each request of a client was done.
 */
final class Oracle {
    private final SimWorld world;
    private final HandleSigner signer;
    private final NamespaceModel model = new NamespaceModel();
    private final Map<Request, Integer> done = new HashMap<>();
    private final Set<Request> passed = new HashSet<>();

    Oracle(SimWorld world, HandleSigner signer) {
        this.world = world;
        this.signer = signer;
    }

    private record Request(long session, long number) {}

    NamespaceModel model() {
        return model;
    }

    /** How many commits a client's request has led to. */
    int timesDone(long session, long number) {
        return done.getOrDefault(new Request(session, number), 0);
    }

    /** Whether a client's request was done without being remembered: it may be done, and refused, once more. */
    boolean hasPassed(long session, long number) {
        return passed.contains(new Request(session, number));
    }

    /** What only the memory of a group's leader held is lost. */
    void crashed(GroupId group) {
        model.loseFirstLeases(group);
    }

    void committed(GroupId group, Decided decided) {
        Message request = decided.request();
        Message reply = decided.reply();
        long session = decided.origin().session().value();
        world.trace(Crashes.nameOf(decided.operation()).hashCode());
        if (decided.once() && !isOnlyLocated(group, decided.reply())) {
            count(session, decided.origin().number());
        } else {
            passed.add(new Request(session, decided.origin().number()));
        }
        if (decided.operation() instanceof CreateFile && request instanceof CreateRequest create) {
            long file = ((CreateReply) reply).getStatus().getId();
            model.create(chain(create.getHandle()), create.getName(), file, create.getOverwrite(), session);
            if (((CreateReply) reply).getGrantCount() == 0) {
                model.leaveUnwritten(file);
            }
        } else if (decided.operation() instanceof RenameFile && request instanceof RenameFileRequest rename) {
            renamed(rename, 0);
        } else if (decided.operation() instanceof CommitMove && request instanceof CommitMoveRequest move) {
            renamed(move.getRename(), move.getEntry().getFile().getFileId());
        } else if (decided.operation() instanceof DeleteFile && request instanceof DeleteFileRequest delete) {
            model.delete(chain(delete.getHandle()), delete.getName());
        } else if (decided.operation() instanceof BulkDelete && request instanceof BulkDeleteRequest delete) {
            deleted(delete, (BulkDeleteReply) reply);
        } else {
            committedOther(group, decided, session);
        }
    }

    private void deleted(BulkDeleteRequest request, BulkDeleteReply reply) {
        for (int i = 0; i < request.getItemCount(); i++) {
            if (reply.getResult(i).getError() == 0) {
                model.delete(
                        chain(request.getItem(i).getHandle()),
                        request.getItem(i).getName());
            }
        }
    }

    private void committedOther(GroupId group, Decided decided, long session) {
        Message request = decided.request();
        Message reply = decided.reply();
        if (decided.operation() instanceof CommitMkdirs && request instanceof CommitMkdirsRequest mkdirs) {
            if (((MkdirsReply) reply).getCreated()) {
                model.mkdirs(mkdirs.getRequest().getPath(), mkdirs.getNewIdList());
            }
        } else if (decided.operation() instanceof CommitRename && request instanceof CommitRenameRequest rename) {
            model.renameDirectory(
                    rename.getRequest().getSource(),
                    rename.getRequest().getDestination(),
                    rename.getPlan().getSource().getDirectoryId(),
                    rename.getPlan().getDestination().getDirectoryId());
        } else if (decided.operation() instanceof CommitDelete && request instanceof CommitDeleteRequest delete) {
            model.deleteDirectory(
                    delete.getRequest().getPath(),
                    delete.getDirectoryId(),
                    delete.getRequest().getRecursive());
        } else if (decided.operation() instanceof AppendFile) {
            if (isOnlyLocated(group, reply)) {
                return;
            }
            AppendReply opened = (AppendReply) reply;
            model.opened(opened.getStatus().getId(), session, opened.getRecoveryId());
        } else if (decided.operation() instanceof ReopenFile && request instanceof ReopenFileRequest reopen) {
            model.opened(reopen.getFileId(), session, ((AppendReply) reply).getRecoveryId());
        } else {
            committedEnd(group, decided);
        }
    }

    private void committedEnd(GroupId group, Decided decided) {
        Message request = decided.request();
        if (decided.operation() instanceof AddBlocks && request instanceof AddBlocksRequest added) {
            model.begun(added.getFileId(), decided.origin().session().value(), added.getRecoveryId());
        } else if (decided.operation() instanceof CompleteFile && request instanceof CompleteRequest complete) {
            closed(decided, complete);
        } else if (decided.operation() instanceof BeginRecovery && request instanceof RecoverFileRequest recover) {
            model.recovering(
                    recover.getFileId(),
                    recover.getWriterSession(),
                    ((RecoverFileReply) decided.reply()).getRecoveryId());
        } else if (decided.operation() instanceof FinishRecovery && request instanceof FinishRecoveryRequest finish) {
            model.recovered(finish.getFileId(), finish.getRecoveryId());
        } else if (decided.operation() instanceof CutFile && request instanceof CutFileRequest cut) {
            model.truncated(cut.getFileId(), cut.getLength(), ((TruncateReply) decided.reply()).getDone());
        } else if (decided.operation() instanceof TruncateFile && request instanceof TruncateRequest truncate) {
            truncated(group, truncate, (TruncateReply) decided.reply());
        } else if (decided.operation() instanceof ConcatFiles && request instanceof ConcatRequest concat) {
            model.concatenate(chain(concat.getHandle()), concat.getName(), concat.getSourceList());
        }
    }

    /** What is not remembered was done in the memory of the leader only. */
    private void closed(Decided decided, CompleteRequest complete) {
        long session = decided.origin().session().value();
        long length = ((CompleteReply) decided.reply()).getStatus().getLength();
        if (decided.once()) {
            model.closed(complete.getFileId(), session, complete.getRecoveryId(), length);
        } else {
            Check.check(length == 0, "file %x is left empty with %d bytes", complete.getFileId(), length);
            model.leftEmpty(complete.getFileId(), session, complete.getRecoveryId());
        }
    }

    private void truncated(GroupId group, TruncateRequest request, TruncateReply reply) {
        if (!isOnlyLocated(group, reply)) {
            model.truncated(reply.getFileId(), request.getLength(), reply.getDone());
        }
    }

    /** An append or a truncate that goes on at the file's home, where it is counted. */
    private static boolean isOnlyLocated(GroupId group, Message reply) {
        return (reply instanceof AppendReply opened
                        && isElsewhere(group, opened.getStatus().getId()))
                || (reply instanceof TruncateReply cut && isElsewhere(group, cut.getFileId()));
    }

    private static boolean isElsewhere(GroupId group, long file) {
        return !new FileId(file).home().equals(group);
    }

    private void count(long session, long number) {
        int times = done.merge(new Request(session, number), 1, Integer::sum);
        Check.check(times == 1, "request %d of session %d was done %d times", number, session, times);
    }

    private void renamed(RenameFileRequest rename, long file) {
        model.rename(
                chain(rename.getSourceHandle()),
                rename.getSourceName(),
                chain(rename.getDestinationHandle()),
                rename.getDestinationName(),
                file,
                rename.getOverwrite());
    }

    private List<Long> chain(SignedHandle signed) {
        try {
            Handle handle = signer.open(signed);
            List<Long> chain = new ArrayList<>(handle.getAncestorIdList());
            chain.add(handle.getDirectoryId());
            return chain;
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
    }
}
