package io.tatami.block.service.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.ByteSource;
import io.tatami.client.block.SharedFile;
import io.tatami.client.block.SharedUnits;
import io.tatami.protocol.BlockPayload;
import io.tatami.protocol.wire.WriteFrame;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory that a writer fills. The server reads it as it reads any file, once for each frame, and trusts nothing there.
 */
public final class WrittenMemory implements LentMemory {
    private static final Logger LOG = LoggerFactory.getLogger(WrittenMemory.class);

    private final SharedFile file;

    private WrittenMemory(SharedFile file) {
        this.file = file;
    }

    /** @throws TatamiException as {@link SharedFile#create} */
    static WrittenMemory create(Path path, int units) throws TatamiException {
        return new WrittenMemory(SharedFile.create(path, units));
    }

    @Override
    public Path path() {
        return file.path();
    }

    /**
     * The bytes that a frame announces, to be read when they are taken.
     *
     * @throws TatamiException MALFORMED where they are not within a unit of this, or the frame has a payload, too; by
     *     taking them as {@link SharedFile#readFully}
     */
    public ByteSource announced(WriteFrame frame, ByteBuf payload) throws TatamiException {
        int unit = frame.getSharedUnit();
        int start = frame.getStart();
        int length = frame.getLength();
        if (unit < 0
                || unit >= file.units()
                || start < 0
                || length <= 0
                || length > BlockPayload.BYTES_MAX
                || start > SharedUnits.UNIT_BYTES - length) {
            throw new TatamiException(
                    ErrorCode.MALFORMED, length + " bytes at " + start + " are not within the shared unit " + unit);
        }
        if (payload.isReadable()) {
            throw new TatamiException(ErrorCode.MALFORMED, "a frame has a payload and bytes in shared memory");
        }
        return new Announced((long) unit * SharedUnits.UNIT_BYTES + start, length);
    }

    /** A copy of what a frame announces; the caller's to release. */
    public ByteBuf copy(WriteFrame frame, ByteBuf payload) throws TatamiException {
        ByteSource source = announced(frame, payload);
        ByteBuf copy = PooledByteBufAllocator.DEFAULT.directBuffer(source.remaining(), source.remaining());
        try {
            copy.writerIndex(source.remaining());
            source.take(copy.readableBytes(), copy.nioBuffer(), 0);
            return copy.retain();
        } finally {
            copy.release();
        }
    }

    @Override
    public boolean tryFree() {
        try {
            file.close();
        } catch (TatamiException e) {
            LOG.warn("shared memory may stay with this process", e);
        }
        return true;
    }

    private final class Announced implements ByteSource {
        private long offsetBytes;
        private int remaining;

        Announced(long offsetBytes, int lengthBytes) {
            this.offsetBytes = offsetBytes;
            this.remaining = lengthBytes;
        }

        @Override
        public int remaining() {
            return remaining;
        }

        @Override
        public void take(int length, ByteBuffer into, int index) throws TatamiException {
            file.readFully(offsetBytes, into.slice(index, length));
            offsetBytes += length;
            remaining -= length;
        }
    }
}
