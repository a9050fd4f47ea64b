package io.tatami.block.service.command;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.context.ServerThreads;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.write.Tombstones;
import io.tatami.block.service.write.WriteStreams;
import io.tatami.block.volume.Volume;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.DeleteBlocksReply;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.Responder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Deletes blocks, those of each volume on that volume's command threads. The answer names what is gone: what is on a
 * volume that failed, or that takes too long, is left out, for whoever wants it gone to ask again; and so is what is
 * nowhere, while a volume does not serve that may have it. A deleted block leaves a {@linkplain Tombstones tombstone}.
 */
final class BlockDeletion {
    private static final long ANSWER_LIMIT_MILLIS = 2_000;

    private final ServerContext context;
    private final WriteStreams writes;
    private final ServerThreads threads;
    private final Consumer<BlockId> deleted;

    /** @param deleted told of each block that is gone */
    BlockDeletion(ServerContext context, WriteStreams writes, ServerThreads threads, Consumer<BlockId> deleted) {
        this.context = context;
        this.writes = writes;
        this.threads = threads;
        this.deleted = deleted;
    }

    void serveOn(HandlerTable table) {
        table.on(BlockMethods.DELETE_BLOCKS, (caller, request, responder) -> {
            try {
                delete(request, responder);
            } catch (TatamiException e) {
                context.failed(e);
                responder.failure(e);
            }
        });
    }

    private void delete(DeleteBlocksRequest request, Responder<DeleteBlocksReply> responder) throws TatamiException {
        Progress progress = new Progress();
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (Map.Entry<Volume, Map<BlockId, Generation>> part :
                byVolume(request, progress).entrySet()) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            ends.add(end);
            threads.command(part.getKey(), () -> {
                try {
                    part.getValue().forEach((block, generation) -> delete(part.getKey(), block, generation, progress));
                } finally {
                    end.complete(null);
                }
            });
        }
        CompletableFuture<Void> unused = CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new))
                .completeOnTimeout(null, ANSWER_LIMIT_MILLIS, TimeUnit.MILLISECONDS)
                .thenRun(() -> {
                    CrashPoint.hit("service.delete.before-reply");
                    responder.success(DeleteBlocksReply.newBuilder()
                            .addAllDeletedBlockId(progress.gone)
                            .build());
                });
    }

    /** The blocks of one request that are gone, and how many copies are left of the others. Safe for many threads. */
    private static final class Progress {
        private final Queue<Long> gone = new ConcurrentLinkedQueue<>();
        private final Map<BlockId, Integer> copies = new ConcurrentHashMap<>();

        void found(BlockId block, int count) {
            copies.put(block, count);
        }

        void absent(BlockId block) {
            gone.add(block.value());
        }

        void deletedCopy(BlockId block) {
            if (copies.computeIfPresent(block, (key, left) -> left > 1 ? left - 1 : null) == null) {
                absent(block);
            }
        }
    }

    /** The blocks that are here, with the generations above which they stay. */
    private Map<Volume, Map<BlockId, Generation>> byVolume(DeleteBlocksRequest request, Progress progress)
            throws TatamiException {
        Map<Volume, Map<BlockId, Generation>> parts = new LinkedHashMap<>();
        List<BlockId> absent = new ArrayList<>();
        for (DeleteBlocksRequest.Item item : request.getItemList()) {
            BlockId block = ServerContext.blockId(item.getBlockId());
            Generation generationMax = ServerContext.generation(item.getGeneration());
            writes.tombstones().add(block, generationMax);
            List<VolumeSet.Found> copies = context.volumes().findAll(block);
            if (copies.isEmpty()) {
                absent.add(block);
                continue;
            }
            progress.found(block, copies.size());
            copies.forEach(copy -> parts.computeIfAbsent(copy.volume(), volume -> new LinkedHashMap<>())
                    .put(block, generationMax));
        }
        context.volumes().gone(absent).forEach(progress::absent);
        return parts;
    }

    private void delete(Volume volume, BlockId block, Generation generation, Progress progress) {
        try {
            volume.delete(block, generation);
        } catch (TatamiException e) {
            context.failed(e);
            return;
        } catch (RuntimeException e) {
            context.failed(new TatamiException(ErrorCode.INTERNAL, "deleting " + block + ": " + e, e));
            return;
        }
        writes.fence(block, "it was deleted");
        deleted.accept(block);
        progress.deletedCopy(block);
    }
}
