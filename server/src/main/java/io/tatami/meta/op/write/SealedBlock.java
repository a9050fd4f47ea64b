package io.tatami.meta.op.write;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.protocol.wire.BlockReport;
import io.tatami.protocol.wire.SealBlockReply;

/** A block that a seal found final, or made final. */
final class SealedBlock {
    private SealedBlock() {}

    static SealBlockReply reply(BlockRecord block) {
        return SealBlockReply.newBuilder()
                .setBlock(BlockReport.newBuilder()
                        .setBlockId(block.getBlockId())
                        .setGeneration(block.getGeneration())
                        .setLength(block.getLength()))
                .addAllServerId(block.getServerIdList())
                .build();
    }

    /**
     * The final block of a file, which is looked for from the file's end.
     *
     * @throws TatamiException FENCED where the file has no such block (any more); INVALID_ARGUMENT where it is open,
     *     and one before it is
     */
    static BlockRecord requireFinal(ShardState state, HomedFile file, BlockId block) throws TatamiException {
        if (!file.id().equals(state.fileOf(block))) {
            throw new TatamiException(ErrorCode.FENCED, block + " is not being written in " + file.id());
        }
        for (int index = file.home().getBlocks() - 1; index >= 0; index--) {
            BlockRecord found = file.requireBlock(index);
            if (found.getBlockId() != block.value()) {
                continue;
            }
            if (found.getOpen()) {
                throw new TatamiException(
                        ErrorCode.INVALID_ARGUMENT,
                        block + " cannot be sealed while an earlier block of " + file.id()
                                + " is open: report that as written");
            }
            return found;
        }
        throw new IllegalStateException(file.id() + " has no record of its " + block);
    }
}
