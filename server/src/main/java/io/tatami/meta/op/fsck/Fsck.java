package io.tatami.meta.op.fsck;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.cluster.ServersView;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.FsckCursor;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.FsckReply;
import io.tatami.protocol.wire.FsckRequest;
import java.util.function.Function;

/**
 * Checks a shard's records of some directories against each other, a page at a time: entries and the sums of their
 * directories, and, where they are here too, the homes of their files with leases, blocks and copies. Where the root is
 * among the directories, it is checked as well that no home of a name here has lost that, and that blocks and inline
 * bytes have a home. What is under way between shards may be reported; on a quiet file system nothing is. Changes
 * nothing.
 */
public final class Fsck implements Operation<ShardState, FsckRequest, FsckReply> {
    private final Function<ClusterMap, ServersView> servers;

    /** @param servers how the servers of a map stand */
    public Fsck(Function<ClusterMap, ServersView> servers) {
        this.servers = servers;
    }

    @Override
    public FsckReply decide(ShardState state, RequestContext context, FsckRequest request) throws TatamiException {
        Access.requireSuperuser(context.caller(), "check the file system");
        Report report = new Report(request, context.nowMillis());
        HomeCheck homes = new HomeCheck(state, context.cluster(), servers.apply(context.cluster()), report);
        FsckCursor.Builder at = cursor(request);
        boolean isDone;
        if (request.getBlockId() != 0) {
            checkBlock(state, homes, new BlockId(request.getBlockId()));
            isDone = true;
        } else if (request.getFileIdCount() > 0) {
            isDone = checkFiles(state, homes, report, request, at);
        } else {
            isDone = new DirectoryCheck(state, homes, report, request, at).run();
        }
        FsckReply.Builder reply = report.reply();
        return isDone
                ? reply.build()
                : reply.setCursor(at.build().toByteString()).build();
    }

    private static FsckCursor.Builder cursor(FsckRequest request) throws TatamiException {
        try {
            return FsckCursor.parseFrom(request.getCursor()).toBuilder();
        } catch (InvalidProtocolBufferException e) {
            throw new TatamiException(ErrorCode.MALFORMED, "the cursor of a check is none: begin the check again", e);
        }
    }

    private static void checkBlock(ShardState state, HomeCheck homes, BlockId block) throws TatamiException {
        FileId file = state.fileOf(block);
        HomeRecord home = file == null ? null : state.home(file);
        if (file == null || home == null) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "No file has the block " + block);
        }
        homes.checkOnly(file, home, block);
    }

    /** By their homes. False where the page is full. */
    private static boolean checkFiles(
            ShardState state, HomeCheck homes, Report report, FsckRequest request, FsckCursor.Builder at) {
        while (at.getIndex() < request.getFileIdCount()) {
            if (report.isFull()) {
                return false;
            }
            if (at.getBlocks() == 0) {
                report.lookedAt();
            }
            FileId file = new FileId(request.getFileId(at.getIndex()));
            HomeRecord home = state.home(file);
            if (home == null) {
                report.find(Report.Target.of(file), "has no record at its home");
            } else if (!homes.checkContent(HomeCheck.target(file, home), home, at)) {
                return false;
            }
            at.setIndex(at.getIndex() + 1);
        }
        return true;
    }
}
