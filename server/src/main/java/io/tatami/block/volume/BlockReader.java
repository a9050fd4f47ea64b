package io.tatami.block.volume;

import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.Device;
import io.tatami.block.device.PendingAccess;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a range of a block, in order, reading ahead of its user. Used by one thread at a time. The bytes are
 * those that were visible when the reader was opened; when the block is deleted, cut or moved meanwhile, {@link #next()}
 * says so and never returns bytes of something else.
 */
public final class BlockReader implements AutoCloseable {
    private final VolumeParts parts;
    private final Replica replica;
    private final Replica.View view;
    private final long endBytes;
    private final Deque<Fetch> ahead = new ArrayDeque<>();
    private long askedBytes;

    BlockReader(VolumeParts parts, Replica replica, Replica.View view, long offsetBytes, long endBytes) {
        this.parts = parts;
        this.replica = replica;
        this.view = view;
        this.askedBytes = offsetBytes;
        this.endBytes = endBytes;
    }

    /** The bytes from start to end, whose chunks are read whole from {@code chunkStart} to {@code chunkEnd}. */
    private record Fetch(
            long start, long end, long chunkStart, long chunkEnd, AlignedBuffer buffer, PendingAccess pending) {}

    /**
     * The next bytes, or null at the end of the range. Blocks while they are read. Units end at multiples of 4 MiB of the
     * block, so that all but the first and the last have that size. The caller owns the unit and closes it.
     *
     * @throws TatamiException CORRUPT where a chunk fails its checksum (detail: where in the block it begins);
     *     NO_SUCH_BLOCK where the block was deleted; BUSY where it was cut or moved, or where no buffer became free in time;
     *     IO_ERROR. The reader is of no more use then.
     */
    public @Nullable ReadUnit next() throws TatamiException {
        readAhead();
        Fetch fetch = ahead.poll();
        if (fetch == null) {
            return null;
        }
        try {
            fetch.pending().await();
            replica.checkVersion(view.version());
            return checked(fetch);
        } catch (TatamiException | RuntimeException e) {
            fetch.buffer().release();
            if (e instanceof TatamiException failed && failed.code() == ErrorCode.IO_ERROR) {
                replica.markDamaged();
            }
            throw e;
        }
    }

    /** Stops reading ahead and gives back the buffers of what was not fetched; units already fetched stay valid. */
    @Override
    public void close() {
        askedBytes = endBytes;
        for (Fetch fetch : ahead) {
            fetch.pending().awaitEnd();
            fetch.buffer().release();
        }
        ahead.clear();
    }

    /** Waits for a buffer only while there is none under way: readers never hold some while they wait for more. */
    private void readAhead() throws TatamiException {
        while (askedBytes < endBytes
                && ahead.size() < parts.resources().settings().readAheadUnits()) {
            AlignedBuffer buffer = ahead.isEmpty()
                    ? parts.acquireReadBuffer()
                    : parts.resources().readBuffers().tryAcquire();
            if (buffer == null) {
                return;
            }
            ahead.add(fetch(buffer));
        }
    }

    private Fetch fetch(AlignedBuffer buffer) {
        long start = askedBytes;
        long unitEnd = start / Device.UNIT_BYTES * Device.UNIT_BYTES + Device.UNIT_BYTES;
        long end = Math.min(endBytes, unitEnd);
        long chunkStart = start / ChunkChecksum.CHUNK_BYTES * ChunkChecksum.CHUNK_BYTES;
        long chunkEnd = view.checkedEnd(end);
        PendingAccess pending = parts.threads()
                .submit(() -> replica.fetch(parts.device(), view.extent(), chunkStart, chunkEnd, buffer));
        askedBytes = end;
        return new Fetch(start, end, chunkStart, chunkEnd, buffer, pending);
    }

    private ReadUnit checked(Fetch fetch) throws TatamiException {
        AlignedBuffer buffer = fetch.buffer();
        long damaged = view.firstDamaged(buffer.memory(), fetch.chunkStart(), fetch.chunkEnd());
        if (damaged >= 0) {
            throw parts.damaged(replica, damaged);
        }
        ByteBuffer data =
                buffer.range((int) (fetch.start() - fetch.chunkStart()), (int) (fetch.end() - fetch.chunkStart()));
        return new ReadUnit(fetch.start(), data, pieceChecksums(fetch, data), buffer);
    }

    /** Whole chunks keep the checksum they are stored with; only cut ones are computed anew. */
    private int[] pieceChecksums(Fetch fetch, ByteBuffer data) {
        int[] checksums = new int[ChunkChecksum.pieces(fetch.start(), data.remaining())];
        long at = fetch.start();
        for (int i = 0; i < checksums.length; i++) {
            int length = ChunkChecksum.firstPieceBytes(at, fetch.end() - at);
            boolean whole = at % ChunkChecksum.CHUNK_BYTES == 0
                    && (length == ChunkChecksum.CHUNK_BYTES || at + length == view.lengthBytes());
            checksums[i] = whole
                    ? view.checksumAt(at)
                    : ChunkChecksum.of(data, (int) (data.position() + at - fetch.start()), length);
            at += length;
        }
        return checksums;
    }
}
