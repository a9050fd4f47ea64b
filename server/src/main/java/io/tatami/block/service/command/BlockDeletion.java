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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Deletes blocks, those of each volume on that volume's command threads. The answer names what is gone: what is on a
 * volume that failed, or that takes too long, is left out, for whoever wants it gone to ask again; and so is what is
 * nowhere, while a volume does not serve that may have it. A copy with another number than is named stays, as does one
 * with number 0 above the generation, and counts as gone. A deleted block leaves a {@linkplain Tombstones tombstone}.
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
        for (Map.Entry<Volume, List<NamedCopy>> part :
                byVolume(request, progress).entrySet()) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            ends.add(end);
            threads.command(part.getKey(), () -> {
                try {
                    part.getValue().forEach(copy -> delete(part.getKey(), copy, progress));
                } finally {
                    end.complete(null);
                }
            });
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
        CompletableFuture<Void> unused = all.thenRun(() -> {
            CrashPoint.hit("service.delete.before-reply");
            responder.success(DeleteBlocksReply.newBuilder()
                    .addAllDeletedBlockId(progress.gone)
                    .build());
        });
        if (!all.isDone()) {
            threads.after(ANSWER_LIMIT_MILLIS, () -> all.complete(null));
        }
    }

    /**
     * The blocks of one request that are gone, and of the others how many copies are not yet known to be. Two copies
     * may be named of a block, which is gone when both are. Safe for many threads.
     */
    private static final class Progress {
        private final Queue<Long> gone = new ConcurrentLinkedQueue<>();
        private final Map<BlockId, Integer> copies = new ConcurrentHashMap<>();

        /** To be called for all copies before one is {@link #goneCopy}. */
        void named(BlockId block, int count) {
            copies.merge(block, count, Integer::sum);
        }

        void goneCopy(BlockId block) {
            if (copies.computeIfPresent(block, (key, left) -> left > 1 ? left - 1 : null) == null) {
                gone.add(block.value());
            }
        }
    }

    /**
     * A copy that is to be deleted.
     *
     * @param generationMax for number 0: above it the copy stays
     */
    private record NamedCopy(BlockId block, int number, Generation generationMax) {
        static NamedCopy of(DeleteBlocksRequest.Item item) throws TatamiException {
            return new NamedCopy(
                    ServerContext.blockId(item.getBlockId()),
                    ServerContext.copyNumber(item.getCopyNumber()),
                    ServerContext.generation(item.getGeneration()));
        }
    }

    /** The copies that are here. */
    private Map<Volume, List<NamedCopy>> byVolume(DeleteBlocksRequest request, Progress progress)
            throws TatamiException {
        Map<Volume, List<NamedCopy>> parts = new LinkedHashMap<>();
        List<BlockId> absent = new ArrayList<>();
        for (DeleteBlocksRequest.Item item : request.getItemList()) {
            NamedCopy named = NamedCopy.of(item);
            writes.tombstones().addDeleted(named.block(), named.number(), named.generationMax());
            List<VolumeSet.Found> copies = context.volumes().findAll(named.block()).stream()
                    .filter(copy -> copy.stored().copyNumber() == named.number())
                    .toList();
            progress.named(named.block(), Math.max(1, copies.size()));
            if (copies.isEmpty()) {
                absent.add(named.block());
            }
            copies.forEach(copy -> parts.computeIfAbsent(copy.volume(), volume -> new ArrayList<>())
                    .add(named));
        }
        Set<BlockId> gone = context.volumes().gone(absent);
        absent.stream().filter(gone::contains).forEach(progress::goneCopy);
        return parts;
    }

    private void delete(Volume volume, NamedCopy copy, Progress progress) {
        BlockId block = copy.block();
        boolean isDeleted;
        try {
            isDeleted = volume.delete(block, copy.number(), copy.generationMax());
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.FENCED) {
                // The one that was named is gone: the server was given the block again since.
                progress.goneCopy(block);
            }
            context.failed(e);
            return;
        } catch (RuntimeException e) {
            context.failed(new TatamiException(ErrorCode.INTERNAL, "deleting " + block + ": " + e, e));
            return;
        }
        if (isDeleted) {
            writes.fence(block, "it was deleted");
            deleted.accept(block);
        } else if (context.volumes().find(block, copy.number()).isPresent()) {
            // It has gone to another volume meanwhile: the repeated request finds it there.
            return;
        }
        progress.goneCopy(block);
    }
}
