package io.tatami.client.file;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.model.PathStatus;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads one file as it was when it was opened: of a file being written, the bytes visible then. {@link #readAt} and
 * {@link #readRanges} may be called by many threads at once; all else by one thread at a time. Every byte from a block
 * is verified against its checksum; where a copy fails, the others are tried.
 */
public final class FileReader implements AutoCloseable {
    private final FileLocator locator;
    private final FileContent content;
    private final VectoredReads vectored;
    private final ReadAheadWindow readAhead;
    private final ReadStatistics statistics = new ReadStatistics();
    private long position;
    private @Nullable SequentialRun run;
    private volatile boolean closed;

    FileReader(FileLocator locator, FileContent content, VectoredReads vectored, ReadAheadWindow readAhead) {
        this.locator = locator;
        this.content = content;
        this.vectored = vectored;
        this.readAhead = readAhead;
    }

    /** As of the opening. */
    public PathStatus status() {
        return content.status();
    }

    /** How many bytes can be read; beyond {@link PathStatus#lengthBytes} where the file is being written. */
    public long lengthBytes() {
        return content.lengthBytes();
    }

    /** Where {@link #read} goes on. */
    public long position() {
        return position;
    }

    /**
     * Moves without reading; within what was read ahead, bytes are passed over rather than asked for again.
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
     * Reads from the position on, as much as is at hand, and waits only for the first byte.
     *
     * @return how many bytes; -1 at the end
     * @throws TatamiException CORRUPT where every copy failed and one of them its checksum; else the last copy's
     *     failure
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
     * Reads at {@code start} until {@code destination} is full or the file ends; the reader's own position stays.
     *
     * @return how many bytes; -1 at or beyond the end
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
     * Reads many ranges in the background, near ones together, and completes each one's result. Returns at once.
     *
     * @param allocate makes a buffer with at least so many bytes left; called on the client's threads, once a range
     * @throws EOFException where a range ends beyond the file; nothing is read then
     * @throws IllegalArgumentException where two ranges overlap
     */
    public void readRanges(List<ReadRange> ranges, IntFunction<ByteBuffer> allocate) throws IOException {
        requireOpen();
        if (content.inline() == null) {
            statistics.countOpening();
        }
        vectored.read(this, ranges, allocate);
    }

    /** Lets go of what was read ahead and of the stream it came on; the reader can be used on. */
    public void unbuffer() {
        if (run != null) {
            run.close();
            run = null;
        }
    }

    public ReadStatistics statistics() {
        return statistics;
    }

    /** Does nothing the second time; every other call fails after it. */
    @Override
    public void close() {
        closed = true;
        unbuffer();
    }

    FileContent content() {
        return content;
    }

    /** A run over part of the block at {@code start}, for one thread and not beyond the block. */
    SequentialRun runAt(long start, long lengthBytes, boolean isVectored) {
        CopyChoice copies = new CopyChoice(locator, statistics, isVectored, content, content.blockAt(start));
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

    /** The run there is, where it is worth going on with, or a new one. */
    private SequentialRun runTo(long target, int wantedBytes) {
        SequentialRun current = run;
        if (current != null && current.reaches(target) && readAhead.isWorthSkipping(target - current.position())) {
            return current;
        }
        boolean continues = current != null && current.isAtEnd() && current.position() == target;
        long window = readAhead.nextWindowBytes(continues, run == null && target == 0, wantedBytes);
        CopyChoice copies = current != null && current.copies().extent().contains(target)
                ? current.copies()
                : new CopyChoice(locator, statistics, false, content, content.blockAt(target));
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
