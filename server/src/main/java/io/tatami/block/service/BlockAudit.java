package io.tatami.block.service;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.StoredBlock;
import io.tatami.protocol.wire.AuditReply;
import io.tatami.protocol.wire.AuditRequest;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Compares what a shard believes is on this server with what is. It only tells: nothing is deleted, repaired or adopted
 * here. A stopped volume voids the answer, for what is on it is neither here nor gone.
 */
final class BlockAudit {
    private final VolumeSet volumes;

    BlockAudit(VolumeSet volumes) {
        this.volumes = volumes;
    }

    /** @throws TatamiException IO_ERROR where a volume has stopped; MALFORMED */
    AuditReply answer(AuditRequest request) throws TatamiException {
        checkVolumes();
        AuditReply.Builder reply = AuditReply.newBuilder();
        Set<BlockId> believed = new HashSet<>();
        for (AuditRequest.Item item : request.getItemList()) {
            BlockId block = DataPort.blockId(item.getBlockId());
            believed.add(block);
            Optional<VolumeSet.Found> found = volumes.find(block);
            if (found.isEmpty()) {
                if (!item.getIntended()) {
                    reply.addMissingBlockId(block.value());
                }
            } else if (isDamaged(found.get().stored(), item)) {
                reply.addDamagedBlockId(block.value());
            }
        }
        addUnknown(request, believed, reply);
        checkVolumes();
        return reply.build();
    }

    /** A block that is still being written may be shorter or older than it will be. */
    private static boolean isDamaged(StoredBlock stored, AuditRequest.Item item) {
        if (item.getIntended()) {
            return stored.damaged();
        }
        return stored.damaged()
                || stored.generation() < item.getGeneration()
                || stored.durableBytes() < item.getLength();
    }

    private void addUnknown(AuditRequest request, Set<BlockId> believed, AuditReply.Builder reply) {
        BlockId after = new BlockId(Math.max(0, request.getAfterBlockId()));
        BlockId upTo = new BlockId(Math.max(0, request.getUpToBlockId()));
        GroupId shard = new GroupId(request.getGroup());
        for (VolumeSet.ServedVolume served : volumes.volumes()) {
            for (StoredBlock stored : served.volume().blocks(after, upTo)) {
                if (stored.block().home().equals(shard) && !believed.contains(stored.block())) {
                    reply.addUnknownBlockId(stored.block().value());
                }
            }
        }
    }

    private void checkVolumes() throws TatamiException {
        for (VolumeSet.ServedVolume served : volumes.volumes()) {
            String failure = served.volume().statistics().failure();
            if (!failure.isEmpty()) {
                throw new TatamiException(ErrorCode.IO_ERROR, served.path() + " has stopped: " + failure);
            }
        }
    }
}
