package io.tatami.files;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * What stands around everything durable that is not inside a database: superblocks, identity files, seals.
 *
 * <pre>
 *  0         4         6         8         12        16                  32          32 + length
 * +---------+---------+---------+---------+---------+-------------------+-----------+
 * | "TTMI"  | kind    | version | length  | crc32c  | owner (UUID)      | payload   |
 * +---------+---------+---------+---------+---------+-------------------+-----------+
 * </pre>
 *
 * Big-endian. The CRC32C covers the whole envelope with its own four bytes as zeros. Owner is the cluster's id, so that
 * a file of another cluster is never taken for ours.
 */
public final class Envelope {
    public static final int MAGIC = 0x54544d49;
    public static final int KIND_OFFSET = Integer.BYTES;
    public static final int VERSION_OFFSET = KIND_OFFSET + Short.BYTES;
    public static final int LENGTH_OFFSET = VERSION_OFFSET + Short.BYTES;
    public static final int CRC_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    public static final int OWNER_OFFSET = CRC_OFFSET + Integer.BYTES;
    public static final int HEADER_BYTES = OWNER_OFFSET + 2 * Long.BYTES;

    /** What an envelope holds; the numbers are part of the format. */
    public enum Kind {
        SUPERBLOCK(1),
        IDENTITY(2),
        BLOCK_INDEX(3),
        GROUP(4),
        HANDLE(5),
        FORMAT_BEGUN(6),
        LOCAL_LOG(7),
        VOLUMES(8);

        private final short number;

        Kind(int number) {
            this.number = (short) number;
        }
    }

    private Envelope() {}

    /** A fresh array with {@code payload} inside its envelope. */
    public static byte[] wrap(Kind kind, int version, UUID owner, byte[] payload) {
        ByteBuffer buffer = ByteBuffer.allocate(HEADER_BYTES + payload.length).order(ByteOrder.BIG_ENDIAN);
        buffer.putInt(MAGIC)
                .putShort(kind.number)
                .putShort((short) version)
                .putInt(payload.length)
                .putInt(0);
        UuidBytes.put(owner, buffer);
        buffer.put(payload);
        buffer.putInt(CRC_OFFSET, crc(buffer.array(), 0, buffer.capacity()));
        return buffer.array();
    }

    /**
     * The payload of the envelope at the start of {@code bytes}; what follows it is ignored.
     *
     * @param what names the thing in errors, for instance its path
     * @param oldest the oldest version this code reads
     * @param newest the newest version this code reads
     * @throws TatamiException CORRUPT, FORMAT_TOO_OLD or FORMAT_TOO_NEW
     */
    public static Opened unwrap(Kind kind, int oldest, int newest, byte[] bytes, String what) throws TatamiException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.BIG_ENDIAN);
        if (bytes.length < HEADER_BYTES || buffer.getInt(0) != MAGIC) {
            throw new TatamiException(ErrorCode.CORRUPT, what + " does not begin with Tatami's magic number");
        }
        int length = buffer.getInt(LENGTH_OFFSET);
        if (length < 0 || length > bytes.length - HEADER_BYTES) {
            throw new TatamiException(
                    ErrorCode.CORRUPT, what + " contains an invalid payload length: " + length + " bytes");
        }
        int stored = buffer.getInt(CRC_OFFSET);
        byte[] zeroed = bytes.clone();
        ByteBuffer.wrap(zeroed).putInt(CRC_OFFSET, 0);
        if (crc(zeroed, 0, HEADER_BYTES + length) != stored) {
            throw new TatamiException(ErrorCode.CORRUPT, what + " does not match its checksum");
        }
        if (buffer.getShort(KIND_OFFSET) != kind.number) {
            throw new TatamiException(
                    ErrorCode.CORRUPT, what + " is of kind " + buffer.getShort(KIND_OFFSET) + ", not " + kind);
        }
        int version = buffer.getShort(VERSION_OFFSET);
        if (version < oldest) {
            throw new TatamiException(
                    ErrorCode.FORMAT_TOO_OLD,
                    what + " has format version " + version + "; the oldest this release reads is " + oldest);
        }
        if (version > newest) {
            throw new TatamiException(
                    ErrorCode.FORMAT_TOO_NEW,
                    what + " has format version " + version + "; the newest this release reads is " + newest);
        }
        byte[] payload = new byte[length];
        buffer.get(HEADER_BYTES, payload);
        UUID owner = new UUID(buffer.getLong(OWNER_OFFSET), buffer.getLong(OWNER_OFFSET + Long.BYTES));
        return new Opened(version, owner, payload);
    }

    private static int crc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    /** An envelope that passed its checks. */
    public record Opened(int version, UUID owner, byte[] payload) {}
}
