package io.tatami.client.block;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.MemoryBudget;
import io.tatami.base.TatamiException;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.BlockPayload;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadWindowUpdate;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.RpcStream;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads one range of one copy of a block, in order. The server sends ahead as far as
 * {@link BlockClientSettings#readAheadBytes} and the client's memory allow. Every chunk is verified here, just before
 * its bytes are copied to the caller: no byte of a bad chunk is ever returned. Used by one thread.
 */
public final class BlockReadStream implements AutoCloseable {
    /** The bytes that every stream may be sent ahead, however many streams there are. */
    private static final int SURE_BYTES = ChunkChecksum.CHUNK_BYTES;

    /** For so many timeouts a reader waits at most that is told again and again that it is queued. */
    public static final int TIMEOUTS_MAX = 5;

    private final BlockTarget target;
    private final BlockId block;
    private final ReadQueue queue;
    private final RpcStream<ReadWindowUpdate> stream;
    private final RegionLease lease;
    private final MemoryBudget budget;
    private final long aheadBytesMax;

    /** The bytes that the server may send ahead: the guaranteed part and the part taken from the budget. */
    private long aheadBytes;

    private final long startPosition;
    private final long rangeBytes;
    private long position;

    /** Read since the window was moved on last: by so much the server may send more, once it is told. */
    private long owedWindowBytes;

    private final LongConsumer mismatch;
    private boolean failedChecksum;
    private boolean closed;

    private ReadQueue.@Nullable Arrived current;
    /** The number of verified pieces of the current frame. */
    private int verifiedPieces;

    private int verifiedIndex;
    private int frameBytes;
    private long stagedBytes;
    private long lateBytes;
    private long sharedBytes;

    private BlockReadStream(
            BlockTarget target,
            ReadBlockRequest request,
            ReadQueue queue,
            RpcStream<ReadWindowUpdate> stream,
            RegionLease lease,
            MemoryBudget budget,
            Ahead ahead,
            LongConsumer mismatch) {
        this.target = target;
        this.block = new BlockId(request.getBlockId());
        this.startPosition = request.getOffset();
        this.rangeBytes = request.getLength();
        this.position = startPosition;
        this.queue = queue;
        this.stream = stream;
        this.lease = lease;
        this.budget = budget;
        this.aheadBytesMax = ahead.bytesMax();
        this.aheadBytes = ahead.bytes();
        this.mismatch = mismatch;
    }

    /** The bytes that the server may send ahead, and the bytes it could with enough memory. */
    private record Ahead(long bytes, long bytesMax) {}

    /** What is read, where, and for whom. */
    record Range(BlockTarget target, ReadBlockRequest request, ByteString context) {}

    /**
     * @param lease of memory that the server may put bytes into; the stream gives it back
     * @param budget for what is sent by the connection
     * @param damage told of each chunk that fails its checksum here
     */
    static BlockReadStream open(
            Connection connection,
            Range wanted,
            RegionLease lease,
            MemoryBudget budget,
            DamageReporter damage,
            BlockClientSettings settings,
            Clock clock) {
        BlockTarget target = wanted.target();
        ReadBlockRequest range = wanted.request();
        ReadBlockRequest.Builder request =
                range.toBuilder().setWindowBytes(settings.readAheadBytes()).setTellsQueued(true);
        SharedRegion region = lease.region();
        long aheadMax =
                region == null ? Math.min(settings.readAheadBytes(), Math.max(SURE_BYTES, range.getLength())) : 0;
        long ahead = region == null ? SURE_BYTES + budget.take(aheadMax - SURE_BYTES) : 0;
        if (region == null) {
            request.setWindowBytes(ahead);
        } else {
            request.setWindowBytes(region.lengthBytes()).setSharedMemory(region.name());
        }
        ReadQueue queue = new ReadQueue(request.getOffset(), settings.timeoutMillis(), region, clock);
        CallOptions options = settings.streamOptions().withCallerContext(wanted.context());
        RpcStream<ReadWindowUpdate> stream =
                connection.openStream(BlockMethods.READ_BLOCK, options, request.build(), queue);
        BlockId block = new BlockId(range.getBlockId());
        Generation generation = Generation.of(range.getGeneration());
        LongConsumer mismatch = offset -> damage.report(connection, target.server(), block, generation, offset);
        return new BlockReadStream(target, range, queue, stream, lease, budget, new Ahead(ahead, aheadMax), mismatch);
    }

    /** The offset in the block of the next byte. */
    public long position() {
        return position;
    }

    /** The returned bytes that came from a cache tier in time. */
    public long stagedBytes() {
        return stagedBytes;
    }

    /** The returned bytes that were planned, but not on the tier in time. */
    public long lateBytes() {
        return lateBytes;
    }

    /** Whether the server may use shared memory; it then does not verify the bytes itself. */
    public boolean sharesMemory() {
        return lease.region() != null;
    }

    /** Whether a chunk failed its checksum here, and not at the server. */
    public boolean hasFailedChecksum() {
        return failedChecksum;
    }

    /** The returned bytes that came through shared memory. */
    public long sharedBytes() {
        return sharedBytes;
    }

    /**
     * Fills {@code destination} with the bytes that have arrived; waits for the first byte only.
     *
     * @return the number of bytes, or -1 at the end of the range or of the visible bytes
     * @throws TatamiException CORRUPT if the first chunk fails its checksum, here or on the server; any other failure
     *     of the stream. Then {@code destination} has no bytes: bytes before a bad chunk are the result of a call of
     *     their own
     */
    public int read(ByteBuffer destination) throws TatamiException {
        Check.check(!closed, "read after close of %s", block);
        if (!destination.hasRemaining()) {
            return 0;
        }
        int total = 0;
        while (destination.hasRemaining() && advance(total == 0)) {
            TatamiException corrupt = verifyAtPosition();
            if (corrupt != null) {
                if (total == 0) {
                    throw corrupt;
                }
                return total;
            }
            total += copyVerified(destination);
        }
        return total == 0 ? -1 : total;
    }

    /** {@link #read(ByteBuffer)} into a part of an array. */
    public int read(byte[] bytes, int offset, int length) throws TatamiException {
        return read(ByteBuffer.wrap(bytes, offset, length));
    }

    /**
     * Waits until {@link #read} and {@link #skip} would not wait, {@code nanos} at most.
     *
     * @return whether they would not
     */
    public boolean await(long nanos) throws TatamiException {
        return current != null || queue.await(nanos);
    }

    /** Whether the server told within a second that the reader is queued at a volume that works. */
    public boolean isQueued() {
        return current == null && queue.isQueued();
    }

    /** The server whose copy it reads. */
    BlockTarget target() {
        return target;
    }

    /** As {@link ReadAttempt#poll}. */
    boolean hasArrived() throws TatamiException {
        return current != null || queue.hasArrived();
    }

    /** As {@link ReadAttempt#onProgress}. */
    void onProgress(Runnable callback) {
        queue.onProgress(callback);
    }

    /**
     * Skips bytes: they are received and not verified. Cheaper than a new stream for short distances only. Waits for
     * the first byte only.
     *
     * @return the number of bytes; 0 only at the end of the range
     */
    public long skip(long bytes) throws TatamiException {
        Check.check(!closed, "skip after close of %s", block);
        long skipped = 0;
        while (skipped < bytes && advance(skipped == 0)) {
            ByteBuf payload = currentFrame().payload();
            int step = (int) Math.min(bytes - skipped, payload.readableBytes());
            payload.skipBytes(step);
            position += step;
            skipped += step;
            passVerifiedIndex(payload);
            releaseIfRead();
        }
        return skipped;
    }

    /** Ends the stream. If the range was not read to its end, the server is told to stop. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (current != null) {
            current.payload().release();
            current = null;
        }
        // Where all was read the server's last word is on its way: its window is open, and nothing is left to send.
        if (queue.close() && position - startPosition < rangeBytes) {
            stream.cancel("closed by the reader");
        }
        lease.giveBack();
        budget.giveBack(Math.max(0, aheadBytes - SURE_BYTES));
    }

    /**
     * Makes a frame with unread bytes the current one. Returns false at the end, or if none has arrived and
     * {@code wait} is false.
     */
    private boolean advance(boolean wait) throws TatamiException {
        if (current == null) {
            current = wait ? queue.take() : queue.poll();
            verifiedPieces = 0;
            verifiedIndex = current == null ? 0 : current.payload().readerIndex();
            frameBytes = current == null ? 0 : current.payload().readableBytes();
        }
        return current != null;
    }

    /** Copies from the chunk at the position, which {@link #verifyAtPosition} has just verified. */
    private int copyVerified(ByteBuffer destination) {
        ByteBuf payload = currentFrame().payload();
        int length = Math.min(destination.remaining(), verifiedIndex - payload.readerIndex());
        int limit = destination.limit();
        destination.limit(destination.position() + length);
        payload.readBytes(destination);
        destination.limit(limit);
        position += length;
        switch (currentFrame().frame().getOrigin()) {
            case STAGED -> stagedBytes += length;
            case LATE -> lateBytes += length;
            case VOLUME, UNRECOGNIZED -> {}
        }
        if (currentFrame().frame().hasSharedUnit()) {
            sharedBytes += length;
        }
        releaseIfRead();
        return length;
    }

    /** Verifies up to the end of the chunk at the position. Returns its failure, also when called again. */
    private @Nullable TatamiException verifyAtPosition() {
        ReadQueue.Arrived arrived = currentFrame();
        while (verifiedIndex <= arrived.payload().readerIndex()) {
            long at = position + verifiedIndex - arrived.payload().readerIndex();
            int length = ChunkChecksum.firstPieceBytes(at, arrived.payload().writerIndex() - verifiedIndex);
            int crc = BlockPayload.crc(arrived.payload(), verifiedIndex, length);
            if (crc != arrived.frame().getChecksum(verifiedPieces)) {
                failedChecksum = true;
                mismatch.accept(at);
                return new TatamiException(
                        ErrorCode.CORRUPT,
                        block + " from " + target + ": " + length + " bytes at " + at + " do not match their checksum");
            }
            verifiedPieces++;
            verifiedIndex += length;
        }
        return null;
    }

    /** Advances over pieces that were skipped as a whole and need no verification. */
    private void passVerifiedIndex(ByteBuf payload) {
        while (verifiedIndex < payload.readerIndex()) {
            long at = position - (payload.readerIndex() - verifiedIndex);
            int length = ChunkChecksum.firstPieceBytes(at, payload.writerIndex() - verifiedIndex);
            if (verifiedIndex + length > payload.readerIndex()) {
                return;
            }
            verifiedPieces++;
            verifiedIndex += length;
        }
    }

    private void releaseIfRead() {
        ReadQueue.Arrived arrived = currentFrame();
        if (arrived.payload().isReadable()) {
            return;
        }
        arrived.payload().release();
        current = null;
        if (arrived.frame().hasSharedUnit()) {
            stream.send(ReadWindowUpdate.newBuilder()
                    .setSharedUnit(arrived.frame().getSharedUnit())
                    .build());
            return;
        }
        owedWindowBytes += frameBytes;
        if (owedWindowBytes >= aheadBytes / 4) {
            // The budget may have been used up when this stream began.
            long more = budget.take(Math.max(0, aheadBytesMax - aheadBytes));
            aheadBytes += more;
            owedWindowBytes += more;
            stream.send(ReadWindowUpdate.newBuilder().setBytes(owedWindowBytes).build());
            owedWindowBytes = 0;
        }
    }

    private ReadQueue.Arrived currentFrame() {
        if (current == null) {
            throw new IllegalStateException("no frame of " + block + " is being read");
        }
        return current;
    }
}
