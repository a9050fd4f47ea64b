package io.tatami.block.service.command;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.write.WriteStreams;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.wire.FenceBlockReply;
import io.tatami.protocol.wire.FenceBlockRequest;
import io.tatami.protocol.wire.FinalizeBlockReply;
import io.tatami.protocol.wire.FinalizeBlockRequest;
import java.util.List;
import java.util.Optional;

/**
 * The two steps of a recovery on this server: a fence, after which nothing changes the copy that is older than the
 * recovery, and the finalization at the length that the recovery chose. Both may be repeated.
 */
final class BlockFencing {
    private static final String TAKEN_OVER = "a recovery has taken it over";

    private final WriteStreams writes;
    private final VolumeSet volumes;

    BlockFencing(WriteStreams writes, VolumeSet volumes) {
        this.writes = writes;
        this.volumes = volumes;
    }

    /**
     * Leaves a tombstone, and then looks for the block: an opening at the same time is either found or refused.
     *
     * @return where to {@link #fence}; nothing where the block is not here and cannot be begun under a lower generation
     * @throws TatamiException MALFORMED; IO_ERROR where a volume does not serve that may have the block
     */
    Optional<Volume> find(FenceBlockRequest request) throws TatamiException {
        BlockId block = ServerContext.blockId(request.getBlockId());
        writes.tombstones().addFenced(block, ServerContext.generation(request.getGeneration()));
        CrashPoint.hit("service.fence.after-tombstone");
        Optional<Volume> found = volumes.find(block).map(VolumeSet.Found::volume);
        if (found.isEmpty()) {
            requireGone(block);
        }
        return found;
    }

    private void requireGone(BlockId block) throws TatamiException {
        if (volumes.gone(List.of(block)).contains(block)) {
            return;
        }
        TatamiException named = volumes.notFound(block);
        throw named.code() == ErrorCode.IO_ERROR
                ? named
                : new TatamiException(
                        ErrorCode.IO_ERROR,
                        block + " is not on the volumes of this server that serve, and may be on one that stopped;"
                                + " repair that volume and restart the server");
    }

    /**
     * Fences every copy of the block durably, and tells of the one that counts. Blocks on its volumes.
     *
     * @throws TatamiException FENCED where a higher generation was promised; IO_ERROR
     */
    FenceBlockReply fence(FenceBlockRequest request) throws TatamiException {
        BlockId block = ServerContext.blockId(request.getBlockId());
        Generation generation = ServerContext.generation(request.getGeneration());
        List<VolumeSet.Found> unfenced = volumes.findAll(block);
        while (!unfenced.isEmpty()) {
            for (VolumeSet.Found copy : unfenced) {
                fence(copy.volume(), block, generation);
            }
            // One that was moved to another volume meanwhile went there without the promise.
            unfenced = volumes.findAll(block).stream()
                    .filter(copy -> copy.stored().promised().isBelow(generation))
                    .toList();
        }
        CrashPoint.hit("service.fence.after-fence");
        Optional<VolumeSet.Found> counts = volumes.find(block);
        if (counts.isEmpty()) {
            requireGone(block);
            return absent();
        }
        StoredBlock stored = counts.get().stored();
        return FenceBlockReply.newBuilder()
                .setGeneration(stored.generation().value())
                .setHeldLength(stored.heldBytes())
                .setDurableLength(stored.durableBytes())
                .setFinalized(stored.finalized())
                .setAssured(!stored.mayLackFlushed())
                .setCopyNumber(stored.copyNumber())
                .build();
    }

    static FenceBlockReply absent() {
        return FenceBlockReply.newBuilder().setAbsent(true).build();
    }

    private void fence(Volume volume, BlockId block, Generation generation) throws TatamiException {
        try {
            if (volume.fence(block, generation)) {
                writes.fence(block, TAKEN_OVER);
            }
        } catch (TatamiException e) {
            // A copy that was deleted meanwhile needs no fence.
            if (e.code() != ErrorCode.NO_SUCH_BLOCK) {
                throw e;
            }
        }
    }

    private boolean finalizeAt(BlockId block, Generation generation, long lengthBytes) throws TatamiException {
        while (true) {
            Volume volume = volumes.require(block, Generation.NONE).volume();
            try {
                return volume.finalizeAt(block, generation, lengthBytes);
            } catch (TatamiException e) {
                if (!volumes.hasLeft(block, volume, e)) {
                    throw e;
                }
            }
        }
    }

    /**
     * Cuts the copy that counts, flushes it and gives it the generation.
     *
     * @throws TatamiException as {@link Volume#finalizeAt}
     */
    FinalizeBlockReply finalizeAt(FinalizeBlockRequest request) throws TatamiException {
        BlockId block = ServerContext.blockId(request.getBlockId());
        Generation generation = ServerContext.generation(request.getGeneration());
        if (request.getLength() < 0) {
            throw new TatamiException(ErrorCode.MALFORMED, block + " cannot have " + request.getLength() + " bytes");
        }
        if (finalizeAt(block, generation, request.getLength())) {
            writes.fence(block, TAKEN_OVER);
        }
        CrashPoint.hit("service.finalize.after-finalize");
        return FinalizeBlockReply.getDefaultInstance();
    }
}
