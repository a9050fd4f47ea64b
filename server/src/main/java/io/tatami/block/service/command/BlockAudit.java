package io.tatami.block.service.command;

import io.tatami.base.BlockId;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.StoredBlock;
import io.tatami.protocol.wire.AuditReply;
import io.tatami.protocol.wire.AuditRequest;
import io.tatami.protocol.wire.AuditedVolume;
import io.tatami.protocol.wire.UnknownCopy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Compares what a shard believes is on this server with what is. It only tells: nothing is deleted, repaired or adopted
 * here. Each volume answers for itself: what is on one that stopped is neither sound nor damaged, and what is nowhere
 * is not missing while a volume does not serve that may have it. A copy with another number than the shard believes is
 * unknown to it, and the one that it believes is missing.
 */
final class BlockAudit {
    private final VolumeSet volumes;

    BlockAudit(VolumeSet volumes) {
        this.volumes = volumes;
    }

    /**
     * How the volumes are is asked after the blocks were looked for: one that serves then has served all the while.
     *
     * @throws TatamiException MALFORMED
     */
    AuditReply answer(AuditRequest request) throws TatamiException {
        List<Optional<VolumeSet.Found>> found = new ArrayList<>();
        Map<BlockId, Integer> believed = new HashMap<>();
        List<BlockId> notFound = new ArrayList<>();
        for (AuditRequest.Item item : request.getItemList()) {
            BlockId block = ServerContext.blockId(item.getBlockId());
            int number = ServerContext.copyNumber(item.getCopyNumber());
            believed.put(block, number);
            Optional<VolumeSet.Found> copy = volumes.find(block, number);
            found.add(copy);
            if (copy.isEmpty()) {
                notFound.add(block);
            }
        }
        Map<VolumeSet.ServedVolume, List<StoredBlock>> unknown = unknown(request, believed);
        AuditReply.Builder reply = AuditReply.newBuilder();
        Set<BlockId> gone = volumes.gone(notFound);
        for (int place = 0; place < found.size(); place++) {
            judge(request.getItem(place), found.get(place), gone, reply);
        }
        unknown.forEach((served, copies) -> {
            if (VolumeSet.state(served).serves()) {
                copies.forEach(copy -> tellUnknown(copy, believed, reply));
            }
        });
        volumes.states().forEach(state -> reply.addVolume(audited(state)));
        return reply.build();
    }

    private static void judge(
            AuditRequest.Item item, Optional<VolumeSet.Found> found, Set<BlockId> gone, AuditReply.Builder reply)
            throws TatamiException {
        if (found.isPresent() && !found.get().volume().isReadable()) {
            reply.addUnavailableBlockId(item.getBlockId());
        } else if (found.isPresent()) {
            if (isDamaged(found.get().stored(), item)) {
                reply.addDamagedBlockId(item.getBlockId());
            }
        } else if (!item.getIntended()) {
            if (gone.contains(new BlockId(item.getBlockId()))) {
                reply.addMissingBlockId(item.getBlockId());
            } else {
                reply.addUnavailableBlockId(item.getBlockId());
            }
        }
    }

    /** A block that is still being written may be shorter or older than it will be. */
    private static boolean isDamaged(StoredBlock stored, AuditRequest.Item item) throws TatamiException {
        if (item.getIntended()) {
            return stored.damaged();
        }
        return stored.damaged()
                || stored.generation().isBelow(ServerContext.generation(item.getGeneration()))
                || stored.durableBytes() < item.getLength();
    }

    private static void tellUnknown(StoredBlock copy, Map<BlockId, Integer> believed, AuditReply.Builder reply) {
        if (copy.copyNumber() == 0 && !believed.containsKey(copy.block())) {
            reply.addUnknownBlockId(copy.block().value());
        } else {
            reply.addUnknownCopy(
                    UnknownCopy.newBuilder().setBlockId(copy.block().value()).setCopyNumber(copy.copyNumber()));
        }
    }

    /** The copies that are not believed to be here, of each volume. */
    private Map<VolumeSet.ServedVolume, List<StoredBlock>> unknown(
            AuditRequest request, Map<BlockId, Integer> believed) {
        BlockId after = new BlockId(Math.max(0, request.getAfterBlockId()));
        BlockId upTo = new BlockId(Math.max(0, request.getUpToBlockId()));
        GroupId shard = new GroupId(request.getGroup());
        Map<VolumeSet.ServedVolume, List<StoredBlock>> unknown = new LinkedHashMap<>();
        for (VolumeSet.ServedVolume served : volumes.volumes()) {
            List<StoredBlock> copies = new ArrayList<>();
            for (StoredBlock stored : served.volume().blocks(after, upTo)) {
                Integer number = believed.get(stored.block());
                if (stored.block().home().equals(shard) && (number == null || number != stored.copyNumber())) {
                    copies.add(stored);
                }
            }
            unknown.put(served, copies);
        }
        return unknown;
    }

    private static AuditedVolume audited(VolumeSet.VolumeState volume) {
        return AuditedVolume.newBuilder()
                .setVolumeId(volume.id() == null ? "" : volume.id().toString())
                .setPath(volume.path())
                .setState(
                        switch (volume.state()) {
                            case SERVES -> AuditedVolume.State.SERVES;
                            case READ_ONLY -> AuditedVolume.State.READ_ONLY;
                            case STOPPED -> AuditedVolume.State.STOPPED;
                            case NOT_OPENED -> AuditedVolume.State.NOT_OPENED;
                        })
                .setReason(volume.reason())
                .build();
    }
}
