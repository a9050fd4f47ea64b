package io.tatami.client.file;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.model.CallerContext;
import io.tatami.client.model.PathStatus;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads one file as it was at the opening; of a file that is being written, the bytes visible then. {@link #readAt} and
 * {@link #readRanges} may be called by many threads at once, all other methods by one thread at a time. Every byte of a
 * block is verified against its checksum. If a copy fails, the other copies are tried.
 */
public final class FileReader implements AutoCloseable {
    private final FileLocator locator;
    private final StagedFirst orders;
    private final FileContent content;
    private final VectoredReads vectored;
    private final ReadAheadWindow readAhead;
    private final CallerContext context;
    private final ReadStatistics statistics = new ReadStatistics();
    private long position;
    private @Nullable SequentialRun run;
    private volatile boolean closed;

    /** @param context of the thread that opens it, which is kept whoever reads */
    FileReader(
            FileLocator locator,
            FileContent content,
            VectoredReads vectored,
            ReadAheadWindow readAhead,
            CallerContext context) {
        this.context = context;
        this.locator = locator;
        this.orders = new StagedFirst(locator);
        this.content = content;
        this.vectored = vectored;
        this.readAhead = readAhead;
    }

    /** The status at the opening. */
    public PathStatus status() {
        return content.status();
    }

    /** The number of bytes that can be read; more than {@link PathStatus#lengthBytes} if the file was being written. */
    public long lengthBytes() {
        return content.lengthBytes();
    }

    /** The offset of the next {@link #read}. */
    public long position() {
        return position;
    }

    /**
     * Sets the position. Within the bytes that were read ahead, bytes are skipped and not requested again.
     *
     * @throws EOFException for a negative position or one beyond the length
     */
    public void seek(long target) throws IOException {
        requireOpen();
        if (target < 0 || target > lengthBytes()) {
            throw new EOFException("cannot seek to " + target + " in " + describe());
        }
        position = target;
    }

    /**
     * Reads from the position on. Waits for the first byte only, and returns the bytes that are there.
     *
     * @return the number of bytes; -1 at the end
     * @throws TatamiException CORRUPT if every copy failed and one of them its checksum; else the last copy's failure
     */
    public int read(ByteBuffer destination) throws IOException {
        requireOpen();
        if (!destination.hasRemaining()) {
            return 0;
        }
        if (position >= lengthBytes()) {
            return -1;
        }
        int length = content.inline() == null ? readBlock(destination) : readInline(position, destination);
        position += length;
        return length;
    }

    /** {@link #read(ByteBuffer)} into a part of an array. */
    public int read(byte[] bytes, int offset, int length) throws IOException {
        return read(ByteBuffer.wrap(bytes, offset, length));
    }

    /**
     * Reads from {@code start} on until {@code destination} is full or the file ends. The reader's position does not
     * change.
     *
     * @return the number of bytes; -1 at or beyond the end
     */
    public int readAt(long start, ByteBuffer destination) throws IOException {
        requireOpen();
        if (start < 0) {
            throw new EOFException("cannot read at " + start + " of " + describe());
        }
        if (!destination.hasRemaining()) {
            return 0;
        }
        if (start >= lengthBytes()) {
            return -1;
        }
        try {
            return readFrom(start, destination, false);
        } catch (TatamiException e) {
            throw unlessInterrupted(e);
        }
    }

    /**
     * Reads many ranges in the background, neighbouring ones together, and completes the result of each. Returns at
     * once.
     *
     * @param allocate makes a buffer with at least the given number of bytes; called on the client's threads, once for
     *     each range
     * @throws EOFException if a range ends beyond the file; then nothing is read
     * @throws IllegalArgumentException if two ranges overlap
     */
    public void readRanges(List<ReadRange> ranges, IntFunction<ByteBuffer> allocate) throws IOException {
        requireOpen();
        if (content.inline() == null) {
            statistics.countOpening();
        }
        vectored.read(this, ranges, allocate);
    }

    /** Releases the bytes that were read ahead, and their stream. The reader remains usable. */
    public void unbuffer() {
        if (run != null) {
            run.close();
            run = null;
        }
    }

    public ReadStatistics statistics() {
        return statistics;
    }

    /** Closes the reader; every later call except this one fails. */
    @Override
    public void close() {
        closed = true;
        unbuffer();
    }

    FileContent content() {
        return content;
    }

    /** Of the thread that opened this. */
    CallerContext context() {
        return context;
    }

    /** A run over a part of the block at {@code start}, for one thread. It ends with the block at the latest. */
    SequentialRun runAt(long start, long lengthBytes, boolean isVectored) throws TatamiException {
        CopyChoice copies =
                new CopyChoice(locator, orders, statistics, isVectored, content, content.blockAt(start), context);
        return new SequentialRun(copies, statistics, start, lengthBytes);
    }

    /** {@link #readAt} within the file. */
    int readFrom(long start, ByteBuffer destination, boolean isVectored) throws TatamiException {
        if (content.inline() != null) {
            return readInline(start, destination);
        }
        int limit = destination.limit();
        int total = 0;
        try {
            while (destination.position() < limit && start + total < lengthBytes()) {
                long at = start + total;
                long inBlock = content.blockAt(at).endBytes() - at;
                int length = (int) Math.min(inBlock, limit - destination.position());
                destination.limit(destination.position() + length);
                try (SequentialRun part = runAt(at, length, isVectored)) {
                    part.readFully(destination);
                }
                total += length;
            }
        } finally {
            destination.limit(limit);
        }
        return total;
    }

    private int readInline(long start, ByteBuffer destination) {
        ByteString bytes = content.inline() == null ? ByteString.EMPTY : content.inline();
        int length = (int) Math.min(destination.remaining(), bytes.size() - start);
        destination.put(bytes.substring((int) start, (int) start + length).asReadOnlyByteBuffer());
        statistics.addInlineBytes(length);
        return length;
    }

    private int readBlock(ByteBuffer destination) throws IOException {
        try {
            SequentialRun current = runTo(position, destination.remaining());
            current.skipTo(position);
            return current.read(destination);
        } catch (TatamiException e) {
            unbuffer();
            throw unlessInterrupted(e);
        }
    }

    /** The present run if it is worth continuing, else a new one. */
    private SequentialRun runTo(long target, int wantedBytes) throws TatamiException {
        SequentialRun current = run;
        if (current != null && current.reaches(target) && readAhead.isWorthSkipping(target - current.position())) {
            return current;
        }
        boolean continues = current != null && current.isAtEnd() && current.position() == target;
        long window = readAhead.nextWindowBytes(continues, run == null && target == 0, wantedBytes);
        CopyChoice copies = current != null && current.copies().extent().contains(target)
                ? current.copies()
                : new CopyChoice(locator, orders, statistics, false, content, content.blockAt(target), context);
        if (current != null) {
            current.close();
        }
        SequentialRun next = new SequentialRun(copies, statistics, target, window);
        run = next;
        return next;
    }

    private void requireOpen() throws TatamiException {
        if (closed) {
            throw new TatamiException(ErrorCode.CANCELLED, "Stream closed: " + describe());
        }
    }

    private IOException unlessInterrupted(TatamiException failure) {
        if (failure.code() != ErrorCode.CANCELLED || !Thread.currentThread().isInterrupted()) {
            return failure;
        }
        InterruptedIOException interrupted = new InterruptedIOException("interrupted while reading " + describe());
        interrupted.initCause(failure);
        return interrupted;
    }

    String describe() {
        return status().path() + ", which has " + lengthBytes() + " bytes";
    }
}
