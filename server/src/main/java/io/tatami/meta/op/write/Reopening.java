package io.tatami.meta.op.write;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.FileStatus;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.HomeRecordOrBuilder;
import io.tatami.meta.state.wire.LeaseRecord;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.Status;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What append has in common with itself from another shard, and who may not open a file again. */
final class Reopening {
    private Reopening() {}

    /** Why a file that is open cannot be opened again. Where it is written, the detail says by whom. */
    static TatamiException held(ShardState state, FileId id, String name) {
        HomeRecord home = state.home(id);
        return held(home == null ? HomeRecord.getDefaultInstance() : home, id, name);
    }

    private static TatamiException held(HomeRecordOrBuilder home, FileId id, String name) {
        return switch (home.getState()) {
            case OPEN, UNWRITTEN, CLOSED, UNRECOGNIZED ->
                new TatamiException(
                        ErrorCode.LEASE_HELD,
                        "Failed to open " + name + ": it is being written already",
                        new Detail.HeldLease(id, new SessionId(home.getWriterSession())));
            case RECOVERING, TRUNCATING ->
                new TatamiException(ErrorCode.RECOVERY_IN_PROGRESS, name + " is being recovered, try again later");
        };
    }

    /** @throws TatamiException LEASE_HELD or RECOVERY_IN_PROGRESS where the file is not closed */
    static void requireClosed(HomedFile file, String name) throws TatamiException {
        if (file.isOpen()) {
            throw held(file.home(), file.id(), name);
        }
    }

    /**
     * Opens a closed file for the context's session. Its last block, where not full and where every server of it can
     * write, goes on under a new generation that counts once it is committed; else the file goes on in a new block. The
     * close of an unwritten file is not remembered: should it be repeated later, it does not concern who opened the
     * file after it.
     */
    static AppendReply reopen(
            ShardState state, RequestContext context, HomedFile file, LeaseRecord lease, boolean newBlock)
            throws UnsettledException {
        HomeRecord.Builder home = file.home();
        if (file.isUnwritten()) {
            home.setRecoveryId(home.getRecoveryId() + 1);
        }
        home.setState(HomeRecord.State.OPEN).setWriterSession(context.session().value());
        state.putLease(context.session(), file.id(), lease);
        int last = home.getBlocks() - 1;
        if (!newBlock && last >= 0) {
            BlockRecord block = file.requireBlock(last);
            if (block.getLength() < home.getBlockSize() && canGoOn(state, context, block)) {
                BlockRecord.Builder reopened =
                        block.toBuilder().setOpen(true).setIssuedGeneration(block.getIssuedGeneration() + 1);
                file.voidIntents(reopened);
                file.changeBlock(last, reopened.build());
            }
        }
        file.publish(context.nowMillis());
        return reply(state, file);
    }

    /** A copy that cannot be opened costs a writer the wait for its server, and a seal. */
    private static boolean canGoOn(ShardState state, RequestContext context, BlockRecord block) {
        Set<ServerId> writing = context.cluster().getBlockServerList().stream()
                .filter(Grants::takesBlocks)
                .map(server -> new ServerId(server.getServerId()))
                .collect(Collectors.toSet());
        BlockId id = new BlockId(block.getBlockId());
        return ServerId.listOf(block.getServerIdList()).stream()
                .allMatch(server -> writing.contains(server) && isSound(state.replica(server, id)));
    }

    private static boolean isSound(@Nullable ReplicaRecord copy) {
        return copy == null || copy.getProblem() == ReplicaRecord.Problem.NONE;
    }

    /** What a writer needs to go on. */
    static AppendReply reply(ShardState state, HomedFile file) {
        HomeRecord home = file.home().build();
        AppendReply.Builder reply =
                AppendReply.newBuilder().setRecoveryId(home.getRecoveryId()).setCopiesMin(home.getCopiesMin());
        Status.Builder status = FileStatus.ofHome(state, file.id(), home);
        ByteString inline = file.inline();
        if (inline != null) {
            reply.setInline(inline);
        }
        int last = home.getBlocks() - 1;
        if (last >= 0) {
            BlockRecord block = file.requireBlock(last);
            long offset = home.getLength() - block.getLength();
            status.addBlock(FileStatus.location(block, Generation.of(block.getGeneration()), offset));
            if (block.getOpen()) {
                reply.setLastBlock(FileStatus.location(block, Generation.of(block.getIssuedGeneration()), offset));
            }
        }
        return reply.setStatus(status).build();
    }
}
