package io.tatami.client.file;

import com.google.protobuf.ByteString;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.model.FileChecksum;
import io.tatami.client.model.PathStatus;
import java.nio.ByteBuffer;

/** Composes a file's checksum from those its block servers store, without moving its bytes. */
final class ChecksumReader {
    private final FileLocator locator;

    ChecksumReader(FileLocator locator) {
        this.locator = locator;
    }

    /** @see io.tatami.client.TatamiClient#checksum */
    FileChecksum checksum(FileReader reader, long lengthBytesMax) throws TatamiException {
        PathStatus status = reader.status();
        long length = Math.min(lengthBytesMax, reader.lengthBytes());
        ByteString inline = reader.content().inline();
        int crc = ChunkChecksum.EMPTY;
        if (inline != null) {
            crc = ChunkChecksum.of(inline.asReadOnlyByteBuffer(), 0, (int) length);
        } else {
            for (BlockExtent extent : reader.content().blocks()) {
                long part = Math.min(extent.lengthBytes(), length - extent.offsetBytes());
                if (part > 0) {
                    crc = ChunkChecksum.concat(crc, ofBlock(reader, extent, part), part);
                }
            }
        }
        return new FileChecksum(crc, length, status.blockSizeBytes());
    }

    /**
     * Of a block's first bytes. What is cut inside a chunk has no stored checksum and is read; so is the last chunk of
     * a file that is being changed, as it may be longer at its server.
     */
    private int ofBlock(FileReader reader, BlockExtent extent, long lengthBytes) throws TatamiException {
        boolean isWhole =
                lengthBytes == extent.lengthBytes() && !reader.status().isOpen();
        long stored = isWhole ? lengthBytes : lengthBytes - lengthBytes % ChunkChecksum.CHUNK_BYTES;
        int crc = ChunkChecksum.EMPTY;
        long covered = 0;
        for (int chunk : stored == 0 ? new int[0] : chunks(reader, extent, stored)) {
            long chunkBytes = Math.min(ChunkChecksum.CHUNK_BYTES, stored - covered);
            crc = ChunkChecksum.concat(crc, chunk, chunkBytes);
            covered += chunkBytes;
        }
        if (stored < lengthBytes) {
            ByteBuffer rest = ByteBuffer.allocate((int) (lengthBytes - stored));
            reader.readFrom(extent.offsetBytes() + stored, rest, false);
            crc = ChunkChecksum.concat(crc, ChunkChecksum.of(rest, 0, rest.position()), rest.position());
        }
        return crc;
    }

    private int[] chunks(FileReader reader, BlockExtent extent, long lengthBytes) throws TatamiException {
        CopyRetries retries = locator.retries();
        BlockExtent present = extent;
        while (true) {
            TatamiException last = new TatamiException(ErrorCode.UNAVAILABLE, extent.block() + " has no known copy");
            for (ServerId server : locator.order().of(present.block(), present.servers())) {
                try {
                    return locator.blocks()
                            .chunkChecksums(
                                    locator.servers().target(server, retries.deadline()),
                                    present.block(),
                                    present.generation(),
                                    0,
                                    lengthBytes);
                } catch (TatamiException e) {
                    FileLocator.requireOtherCopyMayHelp(e);
                    locator.suspects().failed(server, e);
                    retries.failed(e);
                    last = e;
                }
            }
            TatamiException reason = retries.pause(last);
            if (reason == null) {
                throw new TatamiException(
                        last.code(),
                        "no server tells the checksum of " + extent.block() + " of "
                                + reader.status().path() + ": " + last.getMessage(),
                        last);
            }
            locator.servers().reconsider(reason, retries.deadline());
            present = locator.extentNow(reader.status(), present, reader.context());
        }
    }
}
