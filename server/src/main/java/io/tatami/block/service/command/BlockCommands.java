package io.tatami.block.service.command;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.context.ServerThreads;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.write.WriteStreams;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.BlockInfoReply;
import io.tatami.protocol.wire.BlockInfoRequest;
import io.tatami.protocol.wire.ChunkChecksumsReply;
import io.tatami.protocol.wire.ChunkChecksumsRequest;
import io.tatami.protocol.wire.FenceBlockReply;
import io.tatami.protocol.wire.FenceBlockRequest;
import io.tatami.protocol.wire.FinalizeBlockRequest;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.Responder;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * Serves what is asked about single blocks. All of it may be repeated. What may wait for a volume runs on that volume's
 * command threads, the rest on those that wait for none.
 */
public final class BlockCommands {
    private final ServerContext context;
    private final WriteStreams writes;
    private final VolumeSet volumes;
    private final ServerThreads threads;
    private final Consumer<BlockId> deleted;

    /** Answers a request; may block. */
    @FunctionalInterface
    public interface Command<Q extends Message, R extends Message> {
        R run(Q request) throws TatamiException;
    }

    /** As {@link Command}, of a user. */
    @FunctionalInterface
    interface UserCommand<Q extends Message, R extends Message> {
        R run(UserIdentity user, Q request) throws TatamiException;
    }

    /** @param deleted told of each block that is gone */
    public BlockCommands(ServerContext context, WriteStreams writes, ServerThreads threads, Consumer<BlockId> deleted) {
        this.deleted = deleted;
        this.context = context;
        this.writes = writes;
        this.volumes = context.volumes();
        this.threads = threads;
    }

    public void serveOn(HandlerTable table) {
        serve(table, BlockMethods.BLOCK_INFO, this::blockInfo);
        serveOfBlock(table, BlockMethods.CHUNK_CHECKSUMS, ChunkChecksumsRequest::getBlockId, this::chunkChecksums);
        serveFencing(table, new BlockFencing(writes, volumes));
        new BlockDeletion(context, writes, threads, deleted).serveOn(table);
        serve(table, BlockMethods.AUDIT, request -> new BlockAudit(volumes).answer(request));
    }

    /** Has {@code command}, which waits for no volume, answer a method on a command thread. */
    public <Q extends Message, R extends Message> void serve(
            HandlerTable table, Method<Q, R> method, Command<Q, R> command) {
        serveUser(table, method, (user, request) -> command.run(request));
    }

    /** As {@link #serve}; the command is told whom the connection was opened for. */
    <Q extends Message, R extends Message> void serveUser(
            HandlerTable table, Method<Q, R> method, UserCommand<Q, R> command) {
        table.on(method, (caller, request, responder) -> {
            try {
                threads.command(() -> answer(method, asked -> command.run(caller.user(), asked), request, responder));
            } catch (TatamiException e) {
                context.failed(e);
                responder.failure(e);
            }
        });
    }

    private <Q extends Message, R extends Message> void serveOfBlock(
            HandlerTable table, Method<Q, R> method, ToLongFunction<Q> block, Command<Q, R> command) {
        table.on(method, (caller, request, responder) -> {
            try {
                Volume volume = volumes.require(ServerContext.blockId(block.applyAsLong(request)), Generation.NONE)
                        .volume();
                threads.command(volume, () -> answer(method, command, request, responder));
            } catch (TatamiException e) {
                context.failed(e);
                responder.failure(e);
            }
        });
    }

    private void serveFencing(HandlerTable table, BlockFencing fencing) {
        serveOfBlock(table, BlockMethods.FINALIZE_BLOCK, FinalizeBlockRequest::getBlockId, fencing::finalizeAt);
        Method<FenceBlockRequest, FenceBlockReply> method = BlockMethods.FENCE_BLOCK;
        table.on(method, (caller, request, responder) -> {
            try {
                Volume volume = fencing.find(request).orElse(null);
                if (volume == null) {
                    threads.command(() -> answer(method, absent -> BlockFencing.absent(), request, responder));
                } else {
                    threads.command(volume, () -> answer(method, fencing::fence, request, responder));
                }
            } catch (TatamiException e) {
                context.failed(e);
                responder.failure(e);
            }
        });
    }

    private <Q extends Message, R extends Message> void answer(
            Method<Q, R> method, Command<Q, R> command, Q request, Responder<R> responder) {
        R reply;
        CrashPoint.hit("service.command.before-run", method.name());
        try {
            reply = command.run(request);
        } catch (TatamiException e) {
            context.failed(e);
            responder.failure(e);
            return;
        } catch (RuntimeException e) {
            TatamiException failure = new TatamiException(ErrorCode.INTERNAL, "a command failed: " + e, e);
            context.failed(failure);
            responder.failure(failure);
            return;
        }
        CrashPoint.hit("service.command.before-reply", method.name());
        responder.success(reply);
    }

    private BlockInfoReply blockInfo(BlockInfoRequest request) throws TatamiException {
        StoredBlock stored = volumes.require(ServerContext.blockId(request.getBlockId()), Generation.NONE)
                .stored();
        return BlockInfoReply.newBuilder()
                .setGeneration(stored.generation().value())
                .setVisibleLength(stored.visibleBytes())
                .setDurableLength(stored.durableBytes())
                .setFinalized(stored.finalized())
                .setIncarnation(context.incarnation())
                .build();
    }

    private ChunkChecksumsReply chunkChecksums(ChunkChecksumsRequest request) throws TatamiException {
        BlockId block = ServerContext.blockId(request.getBlockId());
        if (request.getOffset() < 0
                || request.getOffset() % ChunkChecksum.CHUNK_BYTES != 0
                || request.getLength() < 0) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT, "a range of checksums cannot begin at " + request.getOffset());
        }
        Generation generation = ServerContext.generation(request.getGeneration());
        VolumeSet.Found found = volumes.require(block, generation);
        int[] checksums = found.volume().checksums(block, generation, request.getOffset(), request.getLength());
        ByteBuffer bytes = ByteBuffer.allocate(checksums.length * Integer.BYTES);
        bytes.asIntBuffer().put(checksums);
        return ChunkChecksumsReply.newBuilder()
                .setChunkBytes(ChunkChecksum.CHUNK_BYTES)
                .setChecksums(ByteString.copyFrom(bytes))
                .build();
    }
}
