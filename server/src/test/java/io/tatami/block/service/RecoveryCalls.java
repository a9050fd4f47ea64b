package io.tatami.block.service;

import io.tatami.base.BlockId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.FenceBlockReply;
import io.tatami.protocol.wire.FenceBlockRequest;
import io.tatami.protocol.wire.FinalizeBlockReply;
import io.tatami.protocol.wire.FinalizeBlockRequest;
import io.tatami.rpc.Connection;

/** The two steps of a recovery, as a metadata server asks a server of a rig for them. */
final class RecoveryCalls {
    private RecoveryCalls() {}

    static FenceBlockReply fence(Connection server, BlockId block, long generation) throws TatamiException {
        FenceBlockRequest request = FenceBlockRequest.newBuilder()
                .setBlockId(block.value())
                .setGeneration(generation)
                .build();
        return server.callAndWait(BlockMethods.FENCE_BLOCK, BlockRig.AS_METADATA, request);
    }

    static void finalizeAt(Connection server, BlockId block, long generation, long length) throws TatamiException {
        FinalizeBlockReply unused = server.callAndWait(
                BlockMethods.FINALIZE_BLOCK, BlockRig.AS_METADATA, finalization(block, generation, length));
    }

    static FinalizeBlockRequest finalization(BlockId block, long generation, long length) {
        return FinalizeBlockRequest.newBuilder()
                .setBlockId(block.value())
                .setGeneration(generation)
                .setLength(length)
                .build();
    }

    /** Both, with all that is held; the length. */
    static long recover(Connection server, BlockId block, long generation) throws TatamiException {
        long held = fence(server, block, generation).getHeldLength();
        finalizeAt(server, block, generation, held);
        return held;
    }
}
