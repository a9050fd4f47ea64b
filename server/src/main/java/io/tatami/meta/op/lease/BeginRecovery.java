package io.tatami.meta.op.lease;

import io.tatami.base.FileId;
import io.tatami.base.Generation;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.op.file.HomedFile.OpenBlock;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.RecoverFileReply;
import io.tatami.meta.state.wire.RecoveringBlock;
import io.tatami.protocol.wire.RecoverFileRequest;
import java.util.List;

/**
 * Takes a file from its writer, or begins a further attempt at a recovery or a cut: every block that is not final gets
 * a new generation, under which its servers are to say what they hold, and only answers to this attempt will count. A
 * file of final blocks only is closed at once. The lease stands under session 0 from here on, where a new leader finds
 * it.
 */
public final class BeginRecovery implements Operation<ShardState, RecoverFileRequest, RecoverFileReply> {
    @Override
    public RecoverFileReply decide(ShardState state, RequestContext context, RecoverFileRequest request)
            throws TatamiException, UnsettledException {
        HomedFile file = HomedFile.find(state, new FileId(request.getFileId()));
        if (file == null || isNoConcern(file, request.getWriterSession())) {
            return RecoverFileReply.newBuilder().setClosed(true).build();
        }
        HomeRecord.Builder home = file.home();
        if (home.getState() == HomeRecord.State.OPEN) {
            file.moveLease(SessionId.NONE);
            home.setState(HomeRecord.State.RECOVERING);
        }
        home.setRecoveryId(home.getRecoveryId() + 1);
        List<OpenBlock> open = file.openBlocks();
        if (open.isEmpty()) {
            file.close(context.nowMillis());
            return RecoverFileReply.newBuilder().setClosed(true).build();
        }
        RecoverFileReply.Builder reply = RecoverFileReply.newBuilder().setRecoveryId(home.getRecoveryId());
        for (OpenBlock block : open) {
            reply.addBlock(issue(file, block));
        }
        file.save();
        return reply.build();
    }

    private static boolean isNoConcern(HomedFile file, long writerSession) {
        return !file.isOpen() || (writerSession != 0 && file.home().getWriterSession() != writerSession);
    }

    private static RecoveringBlock issue(HomedFile file, OpenBlock open) {
        BlockRecord block = open.block();
        Generation generation = Generation.of(block.getIssuedGeneration()).next();
        BlockRecord.Builder issued = block.toBuilder().setIssuedGeneration(generation.value());
        file.voidIntents(issued);
        file.changeBlock(open.index(), issued.build());
        RecoveringBlock.Builder recovering = RecoveringBlock.newBuilder()
                .setBlockId(block.getBlockId())
                .setCommittedGeneration(block.getGeneration())
                .setNewGeneration(generation.value())
                .setCommittedLength(block.getLength())
                .addAllServerId(block.getServerIdList())
                .addAllCopyNumber(block.getCopyNumberList());
        if (file.home().getState() == HomeRecord.State.TRUNCATING) {
            recovering.setCutLength(block.getLength());
        }
        return recovering.build();
    }
}
