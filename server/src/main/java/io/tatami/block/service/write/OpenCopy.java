package io.tatami.block.service.write;

import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.BlockWriter;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.BlockPayload;
import io.tatami.protocol.wire.WriteFrame;

/** A copy that is being written: its writer, and how far that is. Used by the session's worker; calls block on disk. */
final class OpenCopy implements WrittenCopy {
    private final BlockWriter writer;
    private final long roomBytes;
    private long sequence;
    private long lengthBytes;
    private long durableBytes;
    private long flushedBytes;

    /** @param writer owned from now on, until {@link #finish} or {@link #letGo}; its bytes are durable */
    OpenCopy(BlockWriter writer) {
        this.writer = writer;
        this.roomBytes = writer.capacityBytes();
        this.lengthBytes = writer.lengthBytes();
        this.durableBytes = lengthBytes;
        this.flushedBytes = lengthBytes;
    }

    /** @throws TatamiException MALFORMED where the frame is not the one that comes next */
    void requireNext(ArrivedFrame arrived) throws TatamiException {
        WriteFrame frame = arrived.frame();
        int length = arrived.lengthBytes();
        if (frame.getSequence() != sequence + 1 || frame.getOffset() != lengthBytes) {
            throw outOfOrder(writer.block(), frame);
        }
        if (length > BlockPayload.BYTES_MAX || frame.getChecksumCount() != ChunkChecksum.pieces(lengthBytes, length)) {
            throw new TatamiException(
                    ErrorCode.MALFORMED,
                    "a frame of " + length + " bytes with " + frame.getChecksumCount() + " checksums for "
                            + writer.block());
        }
    }

    /** @throws TatamiException as {@link BlockWriter#append} */
    void append(ArrivedFrame arrived) throws TatamiException {
        WriteFrame frame = arrived.frame();
        int[] checksums = new int[frame.getChecksumCount()];
        for (int piece = 0; piece < checksums.length; piece++) {
            checksums[piece] = frame.getChecksum(piece);
        }
        writer.append(arrived.bytes(), checksums);
        CrashPoint.hit("service.write.after-append");
        sequence = frame.getSequence();
        lengthBytes += arrived.lengthBytes();
    }

    /** @throws TatamiException FENCED or NO_SUCH_BLOCK, with nothing made visible */
    void makeVisible(long visibleBytes) throws TatamiException {
        writer.makeVisible(visibleBytes);
    }

    /** All bytes survive the end of this process from now on. */
    void flush() throws TatamiException {
        durableBytes = Math.max(durableBytes, writer.flush());
        flushedBytes = lengthBytes;
    }

    /** All bytes are durable from now on, and visible. */
    void sync() throws TatamiException {
        durableBytes = writer.sync();
        flushedBytes = durableBytes;
    }

    /** {@link #sync}, and the block is finalized: this is used up. Where it throws, this can still be let go. */
    FinishedCopy finish() throws TatamiException {
        return new FinishedCopy(sequence, writer.finish(), roomBytes);
    }

    /**
     * Ends the writing before its end. Bytes that readers saw must not depend on this process: they are made durable,
     * unless another writer has the right to the block by now. A block without bytes is forgotten, so that it can be
     * begun again.
     *
     * @param reason of the end; failures of this method are added to it as suppressed
     */
    void letGo(Exception reason) {
        try {
            if (lengthBytes > 0) {
                CrashPoint.hit("service.write.before-let-go");
                writer.persist();
                writer.close();
            } else {
                writer.abort();
            }
        } catch (TatamiException e) {
            // A block that failed fails again in the same way.
            if (e != reason) {
                reason.addSuppressed(e);
            }
            writer.close();
        }
    }

    @Override
    public long sequence() {
        return sequence;
    }

    @Override
    public long lengthBytes() {
        return lengthBytes;
    }

    @Override
    public long durableBytes() {
        return durableBytes;
    }

    @Override
    public long flushedBytes() {
        return flushedBytes;
    }

    @Override
    public long roomBytes() {
        return roomBytes;
    }
}
