package io.tatami.client.memory;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.BlockInfoReply;
import io.tatami.protocol.wire.ChunkChecksumsReply;
import io.tatami.protocol.wire.ChunkChecksumsRequest;
import io.tatami.protocol.wire.FenceBlockReply;
import io.tatami.protocol.wire.FenceBlockRequest;
import io.tatami.protocol.wire.FinalizeBlockReply;
import io.tatami.protocol.wire.FinalizeBlockRequest;
import io.tatami.protocol.wire.ReadBlockReply;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadFrame;
import io.tatami.protocol.wire.ReadWindowUpdate;
import io.tatami.protocol.wire.StagedBlocksReply;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.ServerStream;
import io.tatami.rpc.StreamReceiver;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A block server that keeps blocks in memory, sends no byte on, and can be told to fail. A read sends all that was
 * asked for at once: tests read little. Guarded by its lock.
 */
public final class FakeBlocks {
    private static final int FRAME_BYTES = 128 << 10;

    private final Map<Long, Block> blocks = new HashMap<>();
    private int writesUntilFailure = Integer.MAX_VALUE;
    private int bytesOfFailure;
    private @Nullable Random dice;
    private int oneFrameFailsIn;
    private int period = Integer.MAX_VALUE;
    private int framesTaken;
    private boolean refusing;
    private boolean silent;
    private int readsHangAt = Integer.MAX_VALUE;
    private boolean holding;
    private final List<Runnable> heldAnswers = new ArrayList<>();
    private int writeStreams;
    private int readStreams;
    private final List<Long> readOffsets = new ArrayList<>();
    private final List<Runnable> hungReads = new ArrayList<>();
    private final List<ServerStream<ReadFrame, ReadBlockReply>> hungStreams = new ArrayList<>();
    private int cancelledReads;
    private @Nullable Runnable beforeRead;
    private final List<List<Long>> askedForStaged = new ArrayList<>();
    private final List<ByteString> traces = new ArrayList<>();

    private static final class Block {
        long generation;
        long promised;
        boolean finalized;
        int rottenAt = Integer.MAX_VALUE;
        boolean damaged;
        byte[] bytes = new byte[0];

        void append(byte[] more, int length) {
            ByteArrayOutputStream joined = new ByteArrayOutputStream();
            joined.writeBytes(bytes);
            joined.write(more, 0, length);
            bytes = joined.toByteArray();
        }
    }

    /** The stream that brings the frame after {@code frames} more of them fails. */
    public synchronized void failAfterFrames(int frames) {
        failAfterFrames(frames, 0);
    }

    /** {@link #failAfterFrames(int)}; the first {@code bytes} of the frame that fails are stored. */
    public synchronized void failAfterFrames(int frames, int bytes) {
        writesUntilFailure = frames;
        bytesOfFailure = bytes;
    }

    /** From now on one frame in so many fails, of which a part is stored, and one opening. */
    public synchronized void failSometimes(Random dice, int oneIn) {
        this.dice = dice;
        this.oneFrameFailsIn = oneIn;
    }

    /** From now on the last one of every so many frames fails. */
    public synchronized void failPeriodically(int frames) {
        period = frames;
        framesTaken = 0;
    }

    private boolean failsNow() {
        return dice != null && dice.nextInt(oneFrameFailsIn) == 0;
    }

    /** Whether every stream and call is refused. */
    public synchronized void setRefusing(boolean whether) {
        refusing = whether;
    }

    /** Whether reads and questions about blocks are taken and never answered. */
    public synchronized void setSilent(boolean whether) {
        silent = whether;
    }

    /** Reads send nothing from this offset of a block on, and do not end. */
    public synchronized void hangReadsAt(int offset) {
        readsHangAt = offset;
    }

    /** The reads that hang are answered. */
    public synchronized void releaseReads() {
        readsHangAt = Integer.MAX_VALUE;
        hungReads.forEach(Runnable::run);
        hungReads.clear();
        hungStreams.clear();
    }

    /** The readers that hang are told that they are queued. */
    public synchronized void tellQueued() {
        hungStreams.forEach(
                stream -> stream.send(ReadFrame.newBuilder().setQueued(true).build()));
    }

    /** {@code action} happens when the next read arrives, before it is looked at. */
    public synchronized void beforeNextRead(Runnable action) {
        beforeRead = action;
    }

    /** Makes the block's copy one that an older generation left behind. */
    public synchronized void setGeneration(long block, long generation) {
        Objects.requireNonNull(blocks.get(block)).generation = generation;
    }

    /** No write is answered from now on, until {@link #releaseAnswers}. */
    public synchronized void holdAnswers() {
        holding = true;
    }

    public synchronized void releaseAnswers() {
        holding = false;
        heldAnswers.forEach(Runnable::run);
        heldAnswers.clear();
    }

    private void answer(Runnable answer) {
        if (holding) {
            heldAnswers.add(answer);
        } else {
            answer.run();
        }
    }

    /** The checksums sent with this block's chunks are wrong from the one that holds {@code rottenAt} on. */
    public synchronized void corrupt(long block, int rottenAt) {
        Objects.requireNonNull(blocks.get(block)).rottenAt = rottenAt;
    }

    /** The server knows the block to be damaged. */
    public synchronized void damage(long block) {
        Objects.requireNonNull(blocks.get(block)).damaged = true;
    }

    public synchronized void lose(long block) {
        blocks.remove(block);
    }

    public synchronized void loseAll() {
        blocks.clear();
    }

    /** Puts a good copy of another server's block here. */
    public synchronized void copyFrom(FakeBlocks other, long id) {
        Block source = Objects.requireNonNull(other.blocks.get(id));
        Block copy = new Block();
        copy.generation = source.generation;
        copy.finalized = source.finalized;
        copy.bytes = source.bytes;
        blocks.put(id, copy);
    }

    public synchronized boolean holds(long block) {
        return blocks.containsKey(block);
    }

    public synchronized int writeStreams() {
        return writeStreams;
    }

    public synchronized int readStreams() {
        return readStreams;
    }

    /** Where in their block reads began, in order. */
    public synchronized List<Long> readOffsets() {
        return List.copyOf(readOffsets);
    }

    public synchronized int cancelledReads() {
        return cancelledReads;
    }

    /** The blocks of each question what is staged. */
    public synchronized List<List<Long>> askedForStaged() {
        return List.copyOf(askedForStaged);
    }

    /** Of all streams that were opened, in order; empty for those without a trace. */
    public synchronized List<ByteString> traces() {
        return List.copyOf(traces);
    }

    private synchronized void note(CallContext context) {
        traces.add(context.options().traceparent());
    }

    public synchronized void forgetQuestions() {
        askedForStaged.clear();
    }

    HandlerTable addTo(HandlerTable table) {
        table.on(BlockMethods.BLOCK_INFO, (context, request, responder) -> {
            try {
                if (isSilent()) {
                    return;
                }
                responder.success(info(request.getBlockId()));
            } catch (TatamiException e) {
                responder.failure(e);
            }
        });
        table.on(BlockMethods.CHUNK_CHECKSUMS, (context, request, responder) -> {
            try {
                responder.success(checksums(request));
            } catch (TatamiException e) {
                responder.failure(e);
            }
        });
        table.on(BlockMethods.STAGED_BLOCKS, (context, request, responder) -> {
            try {
                responder.success(staged(request.getBlockIdList()));
            } catch (TatamiException e) {
                responder.failure(e);
            }
        });
        table.onStream(BlockMethods.WRITE_BLOCK, (context, request, stream) -> {
            note(context);
            return openWrite(request, stream);
        });
        table.onStream(BlockMethods.READ_BLOCK, (context, request, stream) -> {
            note(context);
            return read(request, stream);
        });
        return table;
    }

    /** All that is held counts as staged. */
    private synchronized StagedBlocksReply staged(List<Long> ids) throws TatamiException {
        askedForStaged.add(ids);
        if (refusing) {
            throw new TatamiException(ErrorCode.UNAVAILABLE, "no answer");
        }
        StagedBlocksReply.Builder reply = StagedBlocksReply.newBuilder();
        for (long id : ids) {
            Block block = blocks.get(id);
            reply.addStagedBytes(block == null ? 0 : block.bytes.length);
        }
        return reply.build();
    }

    /**
     * What a recovery asks of the server.
     *
     * @throws TatamiException UNAVAILABLE for all else
     */
    synchronized Message answer(Method<?, ?> method, Message request) throws TatamiException {
        if (!refusing && request instanceof FenceBlockRequest fence) {
            return fence(fence);
        }
        if (!refusing && request instanceof FinalizeBlockRequest finalization) {
            return finalizeAt(finalization);
        }
        throw new TatamiException(ErrorCode.UNAVAILABLE, "no answer to " + method);
    }

    private FenceBlockReply fence(FenceBlockRequest request) throws TatamiException {
        Block block = blocks.get(request.getBlockId());
        if (block == null) {
            return FenceBlockReply.newBuilder().setAbsent(true).build();
        }
        if (block.promised > request.getGeneration()) {
            throw new TatamiException(ErrorCode.FENCED, "generation " + block.promised + " was promised");
        }
        block.promised = request.getGeneration();
        return FenceBlockReply.newBuilder()
                .setGeneration(block.generation)
                .setHeldLength(block.bytes.length)
                .setDurableLength(block.bytes.length)
                .setFinalized(block.finalized)
                .setAssured(true)
                .build();
    }

    private FinalizeBlockReply finalizeAt(FinalizeBlockRequest request) throws TatamiException {
        Block block = held(request.getBlockId());
        if (block.promised != request.getGeneration() || block.bytes.length < request.getLength()) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "fenced under " + block.promised);
        }
        block.generation = request.getGeneration();
        block.finalized = true;
        block.bytes = Arrays.copyOf(block.bytes, (int) request.getLength());
        return FinalizeBlockReply.getDefaultInstance();
    }

    private synchronized boolean isSilent() {
        return silent;
    }

    private Block held(long id) throws TatamiException {
        Block block = blocks.get(id);
        if (refusing || block == null) {
            throw new TatamiException(refusing ? ErrorCode.UNAVAILABLE : ErrorCode.NO_SUCH_BLOCK, "block " + id);
        }
        return block;
    }

    private synchronized BlockInfoReply info(long id) throws TatamiException {
        Block block = held(id);
        return BlockInfoReply.newBuilder()
                .setGeneration(block.generation)
                .setVisibleLength(block.bytes.length)
                .setDurableLength(block.bytes.length)
                .setFinalized(block.finalized)
                .build();
    }

    private synchronized ChunkChecksumsReply checksums(ChunkChecksumsRequest request) throws TatamiException {
        Block block = held(request.getBlockId());
        int[] all = ChunkChecksum.ofPieces(0, ByteBuffer.wrap(block.bytes, 0, (int) request.getLength()));
        ByteBuffer packed = ByteBuffer.allocate(all.length * Integer.BYTES);
        packed.asIntBuffer().put(all);
        return ChunkChecksumsReply.newBuilder()
                .setChunkBytes(ChunkChecksum.CHUNK_BYTES)
                .setChecksums(ByteString.copyFrom(packed))
                .build();
    }

    private synchronized StreamReceiver<WriteFrame> openWrite(
            WriteBlockRequest request, ServerStream<WriteAck, WriteBlockReply> stream) {
        writeStreams++;
        Writing writing = new Writing(request.getBlockId(), request.getGeneration(), stream);
        Block block = blocks.computeIfAbsent(request.getBlockId(), key -> new Block());
        if (refusing || failsNow()) {
            writing.fail(ErrorCode.UNAVAILABLE);
            return writing;
        }
        if (request.getGeneration() <= block.generation
                || request.getGeneration() < block.promised
                || request.getStartOffset() > block.bytes.length) {
            writing.fail(ErrorCode.FENCED);
            return writing;
        }
        block.generation = request.getGeneration();
        block.finalized = false;
        block.bytes = Arrays.copyOf(block.bytes, (int) request.getStartOffset());
        writing.acknowledge(0, block);
        return writing;
    }

    private final class Writing implements StreamReceiver<WriteFrame> {
        private final long id;
        private final long generation;
        private final ServerStream<WriteAck, WriteBlockReply> stream;
        private boolean ended;

        Writing(long id, long generation, ServerStream<WriteAck, WriteBlockReply> stream) {
            this.id = id;
            this.generation = generation;
            this.stream = stream;
        }

        void fail(ErrorCode code) {
            ended = true;
            stream.failure(new TatamiException(code, "the fake block server fails"));
        }

        void acknowledge(long sequence, Block block) {
            WriteAck written = WriteAck.newBuilder()
                    .setSequence(sequence)
                    .setVisibleLength(block.bytes.length)
                    .setDurableLength(block.bytes.length)
                    .build();
            answer(() -> stream.send(written));
        }

        @Override
        public void onMessage(WriteFrame frame, ByteBuf payload) {
            synchronized (FakeBlocks.this) {
                byte[] bytes = new byte[payload.readableBytes()];
                payload.readBytes(bytes);
                payload.release();
                if (ended) {
                    return;
                }
                Block block = blocks.get(id);
                if (block == null || block.generation != generation || block.promised > generation) {
                    fail(ErrorCode.FENCED);
                    return;
                }
                if (frame.getOffset() != block.bytes.length) {
                    fail(ErrorCode.MALFORMED);
                    return;
                }
                framesTaken++;
                if (writesUntilFailure-- == 0 || framesTaken % period == 0) {
                    block.append(bytes, Math.min(bytesOfFailure, bytes.length));
                    fail(ErrorCode.IO_ERROR);
                    return;
                }
                if (dice != null && failsNow()) {
                    block.append(bytes, dice.nextInt(bytes.length + 1));
                    block.finalized = frame.getLast() && dice.nextBoolean();
                    fail(ErrorCode.IO_ERROR);
                    return;
                }
                block.append(bytes, bytes.length);
                acknowledge(frame.getSequence(), block);
                if (frame.getLast()) {
                    block.finalized = true;
                    ended = true;
                    WriteBlockReply reply = WriteBlockReply.newBuilder()
                            .setLength(block.bytes.length)
                            .build();
                    answer(() -> stream.success(reply));
                }
            }
        }

        @Override
        public void onCancelled(TatamiException reason) {
            ended = true;
        }
    }

    private StreamReceiver<ReadWindowUpdate> read(
            ReadBlockRequest request, ServerStream<ReadFrame, ReadBlockReply> stream) {
        Runnable before;
        synchronized (this) {
            before = beforeRead;
            beforeRead = null;
        }
        // Not under the lock: it may concern another server.
        if (before != null) {
            before.run();
        }
        synchronized (this) {
            readStreams++;
            readOffsets.add(request.getOffset());
            if (!silent) {
                answer(request, stream);
            }
        }
        return new IgnoredWindow();
    }

    private void answer(ReadBlockRequest request, ServerStream<ReadFrame, ReadBlockReply> stream) {
        try {
            Block block = held(request.getBlockId());
            if (block.damaged && request.getSoundOnly()) {
                throw new TatamiException(ErrorCode.CORRUPT, "damaged");
            }
            int end = (int) Math.min(block.bytes.length, request.getOffset() + request.getLength());
            int hangAt = Math.min(end, Math.max(readsHangAt, (int) request.getOffset()));
            send(block, (int) request.getOffset(), hangAt, stream);
            Runnable rest = () -> {
                send(block, hangAt, end, stream);
                stream.success(ReadBlockReply.newBuilder()
                        .setLength(Math.max(0, end - request.getOffset()))
                        .build());
            };
            if (hangAt < end) {
                hungReads.add(rest);
                hungStreams.add(stream);
            } else {
                rest.run();
            }
        } catch (TatamiException e) {
            stream.failure(e);
        }
    }

    private static void send(Block block, int start, int end, ServerStream<ReadFrame, ReadBlockReply> stream) {
        for (int at = start; at < end; ) {
            int length = Math.min(end - at, FRAME_BYTES - at % FRAME_BYTES);
            ByteBuffer part = ByteBuffer.wrap(block.bytes, at, length);
            ReadFrame.Builder frame = ReadFrame.newBuilder().setOffset(at);
            int pieceEnd = at;
            for (int checksum : ChunkChecksum.ofPieces(at, part)) {
                pieceEnd += ChunkChecksum.firstPieceBytes(pieceEnd, at + length - pieceEnd);
                frame.addChecksum(pieceEnd > block.rottenAt ? ~checksum : checksum);
            }
            stream.sendAndRelease(frame.build(), Unpooled.copiedBuffer(block.bytes, at, length));
            at += length;
        }
    }

    private final class IgnoredWindow implements StreamReceiver<ReadWindowUpdate> {
        @Override
        public void onMessage(ReadWindowUpdate more, ByteBuf payload) {
            payload.release();
        }

        @Override
        public void onCancelled(TatamiException reason) {
            synchronized (FakeBlocks.this) {
                cancelledReads++;
            }
        }
    }
}
