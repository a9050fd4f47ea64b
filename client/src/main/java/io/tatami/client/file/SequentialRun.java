package io.tatami.client.file;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockReadStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads one block from a position on, over one stream as long as its copy is good. Used by one thread. */
final class SequentialRun implements AutoCloseable {
    private final CopyChoice copies;
    private final ReadStatistics statistics;

    /** In the file, as is the position. */
    private final long endPosition;

    private long position;
    private @Nullable BlockReadStream stream;

    /** @param windowBytes how far may be read ahead at most */
    SequentialRun(CopyChoice copies, ReadStatistics statistics, long position, long windowBytes) {
        this.copies = copies;
        this.statistics = statistics;
        this.position = position;
        this.endPosition = Math.min(copies.extent().endBytes(), position + windowBytes);
    }

    long position() {
        return position;
    }

    boolean isAtEnd() {
        return position == endPosition;
    }

    /** Whether the run goes on to {@code target} when bytes between are passed over. */
    boolean reaches(long target) {
        return target >= position && target < endPosition;
    }

    CopyChoice copies() {
        return copies;
    }

    /** Reads what is at hand, at least a byte; not at the end of the run. */
    int read(ByteBuffer destination) throws TatamiException {
        while (true) {
            BlockReadStream open = readable();
            try {
                long stagedBefore = open.stagedBytes();
                long lateBefore = open.lateBytes();
                long sharedBefore = open.sharedBytes();
                int length = requireBytes(open.read(destination));
                position += length;
                copies.delivered();
                statistics.addBlockBytes(copies.isLocal(), length);
                statistics.addStagedBytes(open.stagedBytes() - stagedBefore);
                statistics.addLateBytes(open.lateBytes() - lateBefore);
                statistics.addSharedBytes(open.sharedBytes() - sharedBefore);
                return length;
            } catch (TatamiException e) {
                boolean unverified = open.sharesMemory() && open.hasFailedChecksum();
                close();
                if (unverified) {
                    copies.askVerified();
                } else {
                    copies.failed(e);
                }
            }
        }
    }

    /** Passes over bytes up to {@code target}, which the run {@link #reaches}. */
    void skipTo(long target) throws TatamiException {
        if (target == position) {
            return;
        }
        if (stream == null) {
            position = target;
            return;
        }
        try {
            skip(stream, target);
        } catch (TatamiException e) {
            close();
            copies.failed(e);
        }
        position = target;
    }

    private void skip(BlockReadStream open, long target) throws TatamiException {
        while (position < target) {
            if (!copies.await(open)) {
                close();
                copies.passOver();
                return;
            }
            int skipped = requireBytes((int) Math.min(Integer.MAX_VALUE, open.skip(target - position)));
            copies.delivered();
            statistics.addSkippedBytes(skipped);
            position += skipped;
        }
    }

    /** Fills {@code destination} from here on; the run must have as many bytes. */
    void readFully(ByteBuffer destination) throws TatamiException {
        while (destination.hasRemaining()) {
            read(destination);
        }
    }

    @Override
    public void close() {
        if (stream != null) {
            stream.close();
            stream = null;
        }
    }

    /** A stream that can be read without another copy being worth a try. */
    private BlockReadStream readable() throws TatamiException {
        while (true) {
            BlockReadStream open = stream;
            if (open == null) {
                open = copies.open(position - copies.extent().offsetBytes(), endPosition - position);
                stream = open;
            }
            if (copies.await(open)) {
                return open;
            }
            stream = null;
            stream = copies.race(open, position - copies.extent().offsetBytes(), endPosition - position);
        }
    }

    private static int requireBytes(int length) throws TatamiException {
        if (length <= 0) {
            throw new TatamiException(ErrorCode.NO_SUCH_BLOCK, "this copy is shorter than the block");
        }
        return length;
    }
}
