package io.tatami.client.block;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.PendingFlush;
import io.tatami.base.RefusalSubject;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.BlockPayload;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;
import io.tatami.rpc.Connection;
import io.tatami.rpc.RpcStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes one block to a pipeline of servers. Used by one thread, except that any thread may ask the three lengths and
 * {@link #failure}.
 *
 * <p>The servers learn of the stream with its first frame, or when they are waited for. A block that is finished before
 * that can still be packed. Bytes go in frames of up to 1 MiB, or lie in memory that the first server reads, and frames
 * only say where. At most {@link BlockClientSettings#windowBytes} of them wait for their acknowledgement; then writing
 * blocks.
 *
 * <p>Every failure ends the stream: all methods throw it from then on, and the bytes that no server acknowledged are
 * kept. Where none was acknowledged, the caller gets a new generation from the block's home, opens a new stream with
 * {@link WriteSpec#continuedAt}, calls {@link #awaitReady} on it, and passes the frames of {@link #takeUnacknowledged}
 * to {@link #resend}. Else it has the block sealed, and writes what is missing to another one.
 */
public final class BlockWriteStream implements AutoCloseable {
    private static final FrameBuffer NO_BYTES = FrameBuffer.own(Unpooled.EMPTY_BUFFER);
    private static final PendingFrame NOTHING = new PendingFrame(0, NO_BYTES, new int[0]);

    /** Somewhat less than the ten seconds after which a frame is sent, as nobody looks at the exact moment. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(9);

    /** Two looks apart: a program that flushes and goes on keeps its memory. */
    private static final long MEMORY_REST_NANOS = TimeUnit.SECONDS.toNanos(4);

    private final Connection connection;
    private final List<BlockTarget> chain;
    private final RegionLeases leases;
    private final WriteWindow window;
    private final FrameMemory memory;
    private final FrameBuilder builder;
    private final BlockClientSettings settings;
    private WriteSpec spec;

    /** Null until the servers must be told of the stream. */
    private @Nullable RpcStream<WriteFrame> stream;

    private long position;
    private long sentSyncLength;
    private long sentFlushLength;
    private long sequence;
    private long sharedBytes;
    private boolean isMemoryReturned;
    private boolean ended;

    /** What servers do with a frame beside storing it. */
    private enum Ask {
        STORE,
        FLUSH,
        SYNC,
        FINISH
    }

    /** Leases of memory that the first server reads. The stream gives each lease back. */
    @FunctionalInterface
    interface RegionLeases {
        /**
         * @param isShort whether no more than a frame will lie there at a time
         * @param lengthBytes of how much it may get to hold
         */
        RegionLease lease(boolean isShort, long lengthBytes) throws TatamiException;
    }

    private BlockWriteStream(
            Connection connection,
            WriteSpec spec,
            List<BlockTarget> chain,
            RegionLeases leases,
            FrameMemory memory,
            BlockClientSettings settings,
            Clock clock) {
        this.connection = connection;
        this.spec = spec;
        this.chain = chain;
        this.leases = leases;
        this.window = new WriteWindow(spec.startOffset(), settings, clock);
        this.memory = memory;
        this.builder = new FrameBuilder(memory);
        this.settings = settings;
        this.position = spec.startOffset();
        this.sentSyncLength = spec.startOffset();
        this.sentFlushLength = spec.startOffset();
    }

    /** @param connection for where there is no memory to be leased */
    static BlockWriteStream open(
            Connection connection,
            WriteSpec spec,
            List<BlockTarget> chain,
            RegionLeases leases,
            BlockClientSettings settings,
            ByteBufAllocator allocator,
            Clock clock)
            throws TatamiException {
        // One more frame is being filled while the window is full.
        int buffersMax = settings.windowBytes() / BlockPayload.BYTES_MAX + 1;
        RegionLease lease = spec.isNew()
                ? leases.lease(true, Math.min(spec.reserveBytes(), BlockPayload.BYTES_MAX))
                : leases.lease(false, spec.reserveBytes() - spec.startOffset());
        FrameMemory memory = new FrameMemory(allocator, buffersMax, lease);
        return new BlockWriteStream(connection, spec, chain, leases, memory, settings, clock);
    }

    /** Opens the stream at the servers, if it is not open. */
    private void begin() throws TatamiException {
        if (stream != null) {
            return;
        }
        if (spec.isNew() && !spec.packed()) {
            // The block becomes longer than the memory of the first frame.
            builder.moveTo(leases.lease(false, spec.reserveBytes()));
        }
        stream = memory.connectionOr(connection)
                .openStream(BlockMethods.WRITE_BLOCK, settings.streamOptions(), request(), window);
    }

    private WriteBlockRequest request() {
        WriteBlockRequest.Builder request = WriteBlockRequest.newBuilder()
                .setBlockId(spec.block().value())
                .setGeneration(spec.generation().value())
                .setReserveBytes(spec.reserveBytes())
                .setNeededBytes(spec.neededBytes())
                .setPacked(spec.packed())
                .setStartOffset(spec.startOffset())
                .setPreviousGeneration(spec.previousGeneration().value())
                .setSharedMemory(memory.sharedName())
                .setOnlyCopy(chain.size() == 1)
                .setWindowed(true)
                .setPrecedingBytes(spec.precedingBytes());
        chain.subList(1, chain.size()).forEach(target -> request.addTarget(target.toWire()));
        return request.build();
    }

    private void cancel(String reason) {
        if (stream != null) {
            stream.cancel(reason);
        }
    }

    public WriteSpec spec() {
        return spec;
    }

    /** The offset in the block of the next byte; written bytes that are not sent yet are included. */
    public long position() {
        return position;
    }

    /** The end of the bytes that every server has in memory; readers see these. */
    public long visibleLength() {
        return window.visibleLength();
    }

    /** The end of the bytes that every server has on its device. At first the start offset, durable or not. */
    public long durableLength() {
        return window.durableLength();
    }

    /** The number of bytes that went through memory shared with the first server. */
    public long sharedBytes() {
        return sharedBytes;
    }

    /** The reason why the stream failed; null while it works, and after a good end. */
    public @Nullable TatamiException failure() {
        return window.failure();
    }

    /**
     * After a failure, the server to leave out: the one that reported the failure or was reported; the first server if
     * neither is known.
     */
    public ServerId failedServer() {
        TatamiException failure = window.failure();
        if (failure == null) {
            return ServerId.NONE;
        }
        for (BlockTarget target : chain) {
            if (failure.subject().equals(new RefusalSubject.ServerSubject(target.server()))) {
                return target.server();
            }
        }
        return chain.get(0).server();
    }

    /**
     * Waits until every server has accepted the stream. For a continued block, each server then has the new generation
     * durably, and the caller commits it at the block's home before it writes.
     */
    public void awaitReady() throws TatamiException {
        begin();
        window.awaitReady();
    }

    /**
     * Takes all of {@code bytes}. The caller must not write more than {@link #awaitRoomBytes} allows: servers refuse
     * more than they have reserved.
     *
     * @throws TatamiException the stream's failure; the bytes below {@link #position} were taken
     */
    public void write(ByteBuffer bytes) throws TatamiException {
        Check.check(!ended, "write after the end of %s", spec.block());
        while (bytes.hasRemaining()) {
            if (builder.isFull()) {
                sendBuilt(Ask.STORE);
            }
            if (builder.isEmpty()) {
                int windowBytes = awaitRoom(BlockPayload.roomBytes(position));
                builder.begin(position, Math.min(windowBytes, frameRoomBytes()));
            }
            int before = bytes.remaining();
            builder.add(bytes);
            position += before - bytes.remaining();
            // A frame that may be the last one waits, and is sent with the end of the block.
            if (builder.isFull() && stream != null && roomBytes() > 0) {
                sendBuilt(Ask.STORE);
            }
        }
    }

    /** {@link #write(ByteBuffer)} of a part of an array. */
    public void write(byte[] bytes, int offset, int length) throws TatamiException {
        write(ByteBuffer.wrap(bytes, offset, length));
    }

    /**
     * Returns when all bytes written so far survive the end of every server's process, and readers see them. They may
     * be lost if a host loses power.
     */
    public void hflush() throws TatamiException {
        window.awaitFlushed(sendToFlush(false));
    }

    /** Returns when all bytes written so far are on the device of every server. */
    public void hsync() throws TatamiException {
        window.awaitDurable(sendToFlush(true));
    }

    /**
     * Requests the flush of all bytes, as far as not requested yet. Returns the end of the bytes that are flushed then.
     */
    private long sendToFlush(boolean durably) throws TatamiException {
        if (!builder.isEmpty() || (durably ? sentSyncLength : sentFlushLength) < position) {
            sendBuilt(durably ? Ask.SYNC : Ask.FLUSH);
            memory.rest();
        }
        return position;
    }

    /**
     * Sends the bytes written, to be flushed as by {@link #hflush} or, if {@code durably}, as by {@link #hsync}. The
     * caller waits for the result. The next call of this stream throws a failure.
     */
    public PendingFlush beginFlush(boolean durably) {
        try {
            return window.pendingFlush(sendToFlush(durably), durably);
        } catch (TatamiException e) {
            window.fail(e);
            return PendingFlush.NOT_SENT;
        }
    }

    /**
     * Ends the block. All bytes are on the device of every server, and unused reserved room is free.
     *
     * @return the block's length in bytes
     */
    public long finish() throws TatamiException {
        return finish(false);
    }

    /**
     * {@link #finish()}, which may pack the block.
     *
     * @param isWhole whether the block is all of a file; it is packed if the servers do not know of it yet, because it
     *     then fits into one frame
     */
    public long finish(boolean isWhole) throws TatamiException {
        if (!ended) {
            if (isWhole && stream == null && spec.isNew()) {
                spec = WriteSpec.createPacked(spec.block(), spec.generation(), position);
            }
            sendBuilt(Ask.FINISH);
            ended = true;
        }
        long length = window.awaitFinished();
        Check.check(length == position, "%s ended at %d, not at %d", spec.block(), length, position);
        return length;
    }

    /**
     * After a failure: the bytes from {@link #visibleLength} up to {@link #position}, in frames. The caller owns the
     * frames; none lies in shared memory. A second call returns none.
     */
    public List<PendingFrame> takeUnacknowledged() {
        Check.check(window.failure() != null, "the stream of %s has not failed", spec.block());
        List<PendingFrame> frames = new ArrayList<>(window.takeFrames());
        if (!builder.isEmpty()) {
            frames.add(builder.take());
        }
        frames.replaceAll(memory::unshare);
        return frames;
    }

    /**
     * Sends frames of a failed stream of the same block. Frames wholly below {@link #position} are dropped; a frame
     * across it is verified and cut.
     *
     * @param frames in order; owned by this stream in any case. If this throws, they are among
     *     {@link #takeUnacknowledged}
     */
    public void resend(List<PendingFrame> frames) throws TatamiException {
        Check.check(builder.isEmpty(), "resend to %s after other bytes", spec.block());
        TatamiException failed = null;
        for (PendingFrame frame : frames) {
            if (frame.endOffset() <= position) {
                frame.release();
                continue;
            }
            Check.check(frame.offset() <= position, "bytes from %d to %d are lost", position, frame.offset());
            try {
                begin();
                resend(frame);
            } catch (TatamiException e) {
                window.fail(e);
                failed = e;
            }
        }
        if (failed != null) {
            cancel("the writer cannot go on");
            throw failed;
        }
    }

    /** Sends one frame, in parts if the window is smaller. If this throws, the unsent rest is kept. */
    private void resend(PendingFrame frame) throws TatamiException {
        PendingFrame rest = frame;
        try {
            while (rest.endOffset() > position) {
                int left = (int) (rest.endOffset() - position);
                int bytes = awaitRoom(left);
                PendingFrame part =
                        rest.offset() == position && bytes == left ? rest : rest.part(spec.block(), position, bytes);
                position = part.endOffset();
                if (part == rest) {
                    rest = NOTHING;
                }
                send(part, Ask.STORE);
            }
        } catch (TatamiException e) {
            window.fail(e);
            position = rest.endOffset();
            send(rest, Ask.STORE);
            throw e;
        }
        rest.release();
    }

    /** Gives the stream up, unless it was finished. Bytes that are not durable may be lost. */
    @Override
    public void close() {
        ended = true;
        if (!window.isFinished()) {
            cancel("the writer closed the stream");
            window.fail(new TatamiException(ErrorCode.CANCELLED, "the writer closed the stream"));
        }
        if (!builder.isEmpty()) {
            builder.take().release();
        }
        window.takeFrames().forEach(PendingFrame::release);
        memory.release(stream == null || window.isFinished());
    }

    /**
     * The number of bytes that may still be written. The block's minimum is sure from the start; beyond it, this waits
     * until the servers have told how much room they have.
     *
     * @return 0 if the block cannot become longer
     */
    public long awaitRoomBytes() throws TatamiException {
        if (!window.isReady()) {
            if (position < spec.neededBytes()) {
                return spec.neededBytes() - position;
            }
            awaitReady();
        }
        return roomBytes();
    }

    /** The number of bytes that may still be written, as known now. */
    public long roomBytes() {
        return Math.max(0, Math.min(spec.reserveBytes(), window.roomBytes()) - position);
    }

    private long frameRoomBytes() {
        long room = roomBytes();
        return room > 0 ? room : BlockPayload.BYTES_MAX;
    }

    /**
     * Waits until the window and the network take a frame of {@code bytes}, or a part of it. Any failure ends the
     * stream.
     *
     * @return how many bytes may be sent
     */
    private int awaitRoom(int bytes) throws TatamiException {
        int room = window.awaitRoom(position, bytes);
        awaitNetwork();
        return room;
    }

    private void awaitNetwork() throws TatamiException {
        RpcStream<WriteFrame> sending = stream;
        if (sending == null || sending.isWritable()) {
            return;
        }
        try {
            sending.awaitWritable(settings.timeoutMillis());
        } catch (TatamiException e) {
            window.fail(e);
            sending.cancel("the network takes nothing more");
            throw e;
        }
    }

    /** Sends the gathered bytes. A frame without bytes is sent for its flags. */
    private void sendBuilt(Ask ask) throws TatamiException {
        begin();
        awaitNetwork();
        PendingFrame frame = builder.isEmpty() ? new PendingFrame(position, NO_BYTES, new int[0]) : builder.take();
        send(frame, ask);
        if (ask != Ask.STORE) {
            sentFlushLength = position;
            sentSyncLength = ask == Ask.FLUSH ? sentSyncLength : position;
        }
    }

    /**
     * To be called every few seconds. Where nothing was sent for ten, sends an empty frame, which every server of the
     * chain answers; where an answer is overdue, the stream fails. Memory that is shared with the first server goes
     * back sooner, and the rest of the block passes by the connection. Does not wait.
     */
    public void keepAlive() {
        RpcStream<WriteFrame> sending = stream;
        if (sending == null || ended) {
            return;
        }
        long stillNanos = window.stillNanos(sequence);
        boolean isWritable = sending.isWritable();
        boolean returnsMemory = stillNanos >= MEMORY_REST_NANOS
                && isWritable
                && memory.isShared()
                && builder.isEmpty()
                && window.isAcknowledged();
        if (!returnsMemory && stillNanos < REST_NANOS) {
            return;
        }
        if (!window.expectAnswer(isWritable)) {
            sending.cancel("no answer to an empty frame");
        } else if (isWritable) {
            if (returnsMemory) {
                builder.moveTo(RegionLease.NONE);
                isMemoryReturned = true;
            }
            long sentLength = builder.isEmpty() ? position : builder.offset();
            send(new PendingFrame(sentLength, NO_BYTES, new int[0]), Ask.STORE);
            long unused = window.stillNanos(sequence);
        }
    }

    /** Keeps the frame until it is acknowledged, and sends it unless the stream has failed. */
    private void send(PendingFrame frame, Ask ask) {
        RpcStream<WriteFrame> sending = stream;
        if (sending == null || window.failure() != null) {
            window.add(frame);
            return;
        }
        WriteFrame.Builder message = WriteFrame.newBuilder()
                .setSequence(++sequence)
                .setOffset(frame.offset())
                .setSync(ask != Ask.STORE)
                .setFlushOnly(ask == Ask.FLUSH)
                .setLast(ask == Ask.FINISH)
                .setMemoryReturned(isMemoryReturned);
        for (int checksum : frame.checksums()) {
            message.addChecksum(checksum);
        }
        FrameBuffer buffer = frame.buffer();
        if (buffer.isShared()) {
            sharedBytes += frame.lengthBytes();
            message.setSharedUnit(buffer.sharedIndex() / SharedUnits.UNIT_BYTES)
                    .setStart(buffer.sharedIndex() % SharedUnits.UNIT_BYTES)
                    .setLength(frame.lengthBytes());
        }
        ByteBuf payload =
                buffer.isShared() ? Unpooled.EMPTY_BUFFER : frame.payload().retainedDuplicate();
        window.add(frame);
        sending.sendAndRelease(message.build(), payload);
    }
}
