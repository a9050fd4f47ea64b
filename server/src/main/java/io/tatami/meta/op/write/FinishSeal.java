package io.tatami.meta.op.write;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.op.file.HomedFile.OpenBlock;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.FinishSealRequest;
import io.tatami.meta.state.wire.RecoveredBlock;
import io.tatami.protocol.wire.SealBlockReply;
import java.util.List;

/**
 * Makes a block final at the length to which a seal brought its servers. Those that adopted the generation count; the
 * copies on the others are spares. Only the newest attempt counts, and only while the writer has its lease: a recovery
 * of the file, a renewal and a further seal each issue a generation.
 */
public final class FinishSeal implements Operation<ShardState, FinishSealRequest, SealBlockReply> {
    @Override
    public SealBlockReply decide(ShardState state, RequestContext context, FinishSealRequest request)
            throws TatamiException, UnsettledException {
        HomedFile file = Writer.requireBegun(state, context, new FileId(request.getFileId()), request.getRecoveryId());
        RecoveredBlock recovered = request.getBlock();
        BlockId id = new BlockId(recovered.getBlockId());
        List<OpenBlock> open = file.openBlocks();
        if (open.isEmpty() || open.get(0).block().getBlockId() != id.value()) {
            return SealedBlock.reply(SealedBlock.requireFinal(state, file, id));
        }
        BlockRecord block = open.get(0).block();
        requireNewest(block, recovered);
        Check.check(recovered.getServerIdCount() > 0, "a seal of %s found no server", id);
        BlockRecord.Builder sealed =
                block.toBuilder().setGeneration(recovered.getGeneration()).setLength(recovered.getLength());
        BlockCopies.of(sealed).keepCounted(ServerId.listOf(recovered.getServerIdList()));
        long length = file.finalLength(open) + recovered.getLength();
        for (OpenBlock later : open.subList(1, open.size())) {
            length += later.block().getLength();
        }
        file.finishBlock(open.get(0).index(), sealed);
        file.setBlockLength(length);
        file.save();
        return SealedBlock.reply(sealed.build());
    }

    private static void requireNewest(BlockRecord block, RecoveredBlock recovered) throws TatamiException {
        if (recovered.getGeneration() != block.getIssuedGeneration() || recovered.getLength() < block.getLength()) {
            throw new TatamiException(
                    ErrorCode.UNAVAILABLE,
                    new BlockId(block.getBlockId()) + " was sealed at " + recovered.getLength()
                            + " bytes under generation " + recovered.getGeneration() + ", but generation "
                            + block.getIssuedGeneration() + " was issued and " + block.getLength()
                            + " bytes were committed meanwhile: seal it again");
        }
    }
}
