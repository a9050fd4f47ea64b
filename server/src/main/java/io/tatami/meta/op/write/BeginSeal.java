package io.tatami.meta.op.write;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.op.file.HomedFile.OpenBlock;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BeginSealReply;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.RecoveringBlock;
import io.tatami.protocol.wire.SealBlockRequest;
import java.util.List;

/**
 * Begins an attempt to seal the block that a writer writes, as its chain of servers failed: a generation is issued, and
 * from then on only answers to this attempt count. Blocks before it that the writer reports are final. A block that is
 * final already is told as it is, so that a seal whose answer was lost can be asked for again.
 */
public final class BeginSeal implements Operation<ShardState, SealBlockRequest, BeginSealReply> {
    @Override
    public BeginSealReply decide(ShardState state, RequestContext context, SealBlockRequest request)
            throws TatamiException, UnsettledException {
        HomedFile file = Writer.requireBegun(state, context, new FileId(request.getFileId()), request.getRecoveryId());
        List<OpenBlock> open = Writer.take(state, file, file.openBlocks(), request.getWrittenList(), true);
        BlockId block = new BlockId(request.getBlockId());
        BeginSealReply.Builder reply = BeginSealReply.newBuilder();
        if (open.isEmpty() || open.get(0).block().getBlockId() != block.value()) {
            reply.setSealed(SealedBlock.reply(SealedBlock.requireFinal(state, file, block)));
        } else {
            requirePossible(file, open.get(0).block(), request);
            reply.setBlock(issue(file, open.get(0), request.getAcknowledgedLength()));
        }
        file.save();
        return reply.build();
    }

    private static void requirePossible(HomedFile file, BlockRecord block, SealBlockRequest request)
            throws TatamiException {
        BlockId id = new BlockId(block.getBlockId());
        if (request.getAcknowledgedLength() < 1
                || request.getAcknowledgedLength() > file.home().getBlockSize()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    id + " cannot be sealed with " + request.getAcknowledgedLength()
                            + " acknowledged bytes, in a file of blocks of "
                            + file.home().getBlockSize() + ": where nothing was acknowledged, renew it");
        }
        if (request.getGeneration() < block.getGeneration() || request.getGeneration() > block.getIssuedGeneration()) {
            throw new TatamiException(
                    ErrorCode.FENCED,
                    id + " is sealed for a writer of generation " + request.getGeneration()
                            + ", but its present generation is " + block.getGeneration());
        }
    }

    private static RecoveringBlock issue(HomedFile file, OpenBlock open, long acknowledgedBytes) {
        Generation generation =
                Generation.of(open.block().getIssuedGeneration()).next();
        BlockRecord.Builder issued = open.block().toBuilder().setIssuedGeneration(generation.value());
        file.voidIntents(issued);
        file.changeBlock(open.index(), issued.build());
        return RecoveringBlock.newBuilder()
                .setBlockId(issued.getBlockId())
                .setCommittedGeneration(issued.getGeneration())
                .setNewGeneration(generation.value())
                .setCommittedLength(issued.getLength())
                .setAcknowledgedLength(acknowledgedBytes)
                .addAllServerId(issued.getServerIdList())
                .addAllCopyNumber(issued.getCopyNumberList())
                .build();
    }
}
