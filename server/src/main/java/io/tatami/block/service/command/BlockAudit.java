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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Compares what a shard believes is on this server with what is. It only tells: nothing is deleted, repaired or adopted
 * here. Each volume answers for itself: what is on one that stopped is neither sound nor damaged, and what is nowhere
 * is not missing while a volume does not serve that may have it.
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
        Set<BlockId> believed = new HashSet<>();
        List<BlockId> notFound = new ArrayList<>();
        for (AuditRequest.Item item : request.getItemList()) {
            BlockId block = ServerContext.blockId(item.getBlockId());
            believed.add(block);
            Optional<VolumeSet.Found> copy = volumes.find(block);
            found.add(copy);
            if (copy.isEmpty()) {
                notFound.add(block);
            }
        }
        Map<VolumeSet.ServedVolume, List<Long>> unknown = unknown(request, believed);
        AuditReply.Builder reply = AuditReply.newBuilder();
        Set<BlockId> gone = volumes.gone(notFound);
        for (int place = 0; place < found.size(); place++) {
            judge(request.getItem(place), found.get(place), gone, reply);
        }
        unknown.forEach((served, blocks) -> {
            if (VolumeSet.state(served).serves()) {
                reply.addAllUnknownBlockId(blocks);
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

    private Map<VolumeSet.ServedVolume, List<Long>> unknown(AuditRequest request, Set<BlockId> believed) {
        BlockId after = new BlockId(Math.max(0, request.getAfterBlockId()));
        BlockId upTo = new BlockId(Math.max(0, request.getUpToBlockId()));
        GroupId shard = new GroupId(request.getGroup());
        Map<VolumeSet.ServedVolume, List<Long>> unknown = new LinkedHashMap<>();
        for (VolumeSet.ServedVolume served : volumes.volumes()) {
            List<Long> blocks = new ArrayList<>();
            for (StoredBlock stored : served.volume().blocks(after, upTo)) {
                if (stored.block().home().equals(shard) && !believed.contains(stored.block())) {
                    blocks.add(stored.block().value());
                }
            }
            unknown.put(served, blocks);
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
