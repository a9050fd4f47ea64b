package io.tatami.block.service.command;

import io.tatami.base.BlockId;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.StoredBlock;
import io.tatami.protocol.RequestLimits;
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
 * unknown to it, and the one that it believes is missing. Where more copies are unknown than one answer may tell, the
 * answer ends before the others.
 */
final class BlockAudit {
    /** As many as a request may ask for: an answer of about 50 KiB. */
    private static final int UNKNOWN_MAX = RequestLimits.AUDITED_BLOCKS;

    private final VolumeSet volumes;
    private final int unknownMax;

    BlockAudit(VolumeSet volumes) {
        this(volumes, UNKNOWN_MAX);
    }

    /** @param unknownMax how many unknown copies of each volume one answer tells of, about */
    BlockAudit(VolumeSet volumes, int unknownMax) {
        this.volumes = volumes;
        this.unknownMax = unknownMax;
    }

    /**
     * How the volumes are is asked after the blocks were looked for: one that serves then has served all the while.
     *
     * @throws TatamiException MALFORMED
     */
    AuditReply answer(AuditRequest request) throws TatamiException {
        Map<VolumeSet.ServedVolume, List<StoredBlock>> stored = stored(request);
        long upTo = answeredUpTo(request, stored);
        List<AuditRequest.Item> items = request.getItemList().stream()
                .filter(item -> item.getBlockId() <= upTo)
                .toList();
        List<Optional<VolumeSet.Found>> found = new ArrayList<>();
        Map<BlockId, Integer> believed = new HashMap<>();
        List<BlockId> notFound = new ArrayList<>();
        for (AuditRequest.Item item : items) {
            BlockId block = ServerContext.blockId(item.getBlockId());
            int number = ServerContext.copyNumber(item.getCopyNumber());
            believed.put(block, number);
            Optional<VolumeSet.Found> copy = volumes.find(block, number);
            found.add(copy);
            if (copy.isEmpty()) {
                notFound.add(block);
            }
        }
        GroupId shard = new GroupId(request.getGroup());
        AuditReply.Builder reply = AuditReply.newBuilder();
        Set<BlockId> gone = volumes.gone(notFound);
        for (int place = 0; place < found.size(); place++) {
            judge(items.get(place), found.get(place), gone, reply);
        }
        stored.forEach((served, copies) -> {
            if (VolumeSet.state(served).serves()) {
                copies.stream()
                        .filter(copy -> copy.block().value() <= upTo)
                        .filter(copy -> copy.block().home().equals(shard) && isUnknown(copy, believed))
                        .forEach(copy -> tellUnknown(copy, believed, reply));
            }
        });
        if (upTo < request.getUpToBlockId()) {
            reply.setUpToBlockId(upTo);
        }
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

    private static boolean isUnknown(StoredBlock copy, Map<BlockId, Integer> believed) {
        Integer number = believed.get(copy.block());
        return number == null || number != copy.copyNumber();
    }

    /** The first copies in the range, of each volume: as many as may be known, and some more. */
    private Map<VolumeSet.ServedVolume, List<StoredBlock>> stored(AuditRequest request) {
        BlockId after = new BlockId(Math.max(0, request.getAfterBlockId()));
        BlockId upTo = new BlockId(Math.max(0, request.getUpToBlockId()));
        Map<VolumeSet.ServedVolume, List<StoredBlock>> stored = new LinkedHashMap<>();
        for (VolumeSet.ServedVolume served : volumes.volumes()) {
            stored.put(served, served.volume().blocks(after, upTo, limit(request)));
        }
        return stored;
    }

    private int limit(AuditRequest request) {
        return request.getItemCount() + unknownMax;
    }

    /** Where the first volume ends of which not all was looked at. */
    private long answeredUpTo(AuditRequest request, Map<VolumeSet.ServedVolume, List<StoredBlock>> stored) {
        long upTo = request.getUpToBlockId();
        for (List<StoredBlock> copies : stored.values()) {
            if (copies.size() == limit(request)) {
                upTo = Math.min(upTo, copies.get(copies.size() - 1).block().value());
            }
        }
        return upTo;
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
