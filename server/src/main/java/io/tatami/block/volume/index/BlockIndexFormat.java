package io.tatami.block.volume.index;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.block.device.Device;
import io.tatami.block.volume.space.Extent;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.UUID;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The keys and values of the block index. All numbers are big-endian, so that keys sort by block and segment.
 *
 * <pre>
 * key of the identity   +-----+
 *                       | 'i' |                       value: an {@link io.tatami.files.Envelope} of kind BLOCK_INDEX, owner the
 *                       +-----+                       cluster, payload volume id (16 bytes), index id (16 bytes)
 *
 * key of a record       0     1                 9
 *                       +-----+-----------------+
 *                       | 'e' | block id        |
 *                       +-----+-----------------+
 * value                 0         1       2            4       8               16              24           32        40      40+tail
 *                       +---------+-------+------------+-------+---------------+---------------+------------+---------+-------+--------+
 *                       | version | state | tail bytes | zeros | extent offset | extent length | generation | length  | tail  | crc32c |
 *                       +---------+-------+------------+-------+---------------+---------------+------------+---------+-------+--------+
 *                       version 1, of a copy with number 0 that promised no more than its generation
 *
 *                       0                                                                               40         48            52
 *                       +-------------------------------------------------------------------------------+----------+-------------+------+--------+
 *                       | as version 1                                                                  | promised | copy number | tail | crc32c |
 *                       +-------------------------------------------------------------------------------+----------+-------------+------+--------+
 *                       version 2, of any other
 *
 * key of the sum        +-----+
 *                       | 'e' |                       value: 8 bytes, little-endian, {@link #SUM_START} and the hashes of all
 *                       +-----+                       records, added up with overflow; see {@link #hash}
 *
 * key of what is        +-----+
 * unwritten             | 'u' |                       value: offset and length of it (8 bytes each), crc32c; not there: nothing
 *                       +-----+
 *
 * key of a segment      0     1                 9                13
 *                       +-----+-----------------+----------------+
 *                       | 'c' | block id        | segment number |
 *                       +-----+-----------------+----------------+
 * value                 +-------------------+-----+-------------------+--------+
 *                       | chunk's crc32c    |  …  | chunk's crc32c    | crc32c |   up to 256 chunks of 64 KiB
 *                       +-------------------+-----+-------------------+--------+
 * </pre>
 *
 * The CRC32C at the end of a value covers its key, then the value before it: a value under a wrong key is found too.
 * Records have a prefix of their own so that opening a volume reads them alone. The sum lies before them, is changed in
 * the batch that changes them, and so tells where one of them is lost or an old one is back, which checksums cannot.
 * Segments need none: a scrub compares them with the bytes.
 */
public final class BlockIndexFormat {
    public static final byte[] IDENTITY_KEY = {'i'};
    static final byte[] RECORD_PREFIX = {'e'};
    static final int SEGMENT_CHUNKS = 256;

    public static final byte[] SUM_KEY = RECORD_PREFIX;

    /** Of the place outside of which nothing is written for the first time, see {@code FirstWrites}. */
    static final byte[] UNWRITTEN_KEY = {'u'};

    /** Not 0, which a sum that is gone would be taken for. */
    public static final long SUM_START = 0x7461_7461_6d69_3031L;

    static final int IDENTITY_VERSION = 2;

    /** Has no sum, and is given one when it is opened. */
    static final int IDENTITY_VERSION_WITHOUT_SUM = 1;

    static final int IDENTITY_PAYLOAD_BYTES = 4 * Long.BYTES;

    private static final byte SEGMENT_PREFIX = 'c';
    private static final int RECORD_KEY_BYTES = 1 + Long.BYTES;
    private static final int SEGMENT_KEY_BYTES = RECORD_KEY_BYTES + Integer.BYTES;

    /** Says nothing of copy number and promise: 0, and the generation. */
    private static final byte RECORD_VERSION_OF_GENERATION = 1;

    private static final byte RECORD_VERSION = 2;
    private static final int STATE_OFFSET = 1;
    private static final int TAIL_BYTES_OFFSET = STATE_OFFSET + 1;
    private static final int ZEROS_OFFSET = TAIL_BYTES_OFFSET + Short.BYTES;
    private static final int EXTENT_OFFSET = ZEROS_OFFSET + Integer.BYTES;
    private static final int EXTENT_LENGTH_OFFSET = EXTENT_OFFSET + Long.BYTES;
    private static final int GENERATION_OFFSET = EXTENT_LENGTH_OFFSET + Long.BYTES;
    private static final int LENGTH_OFFSET = GENERATION_OFFSET + Long.BYTES;
    private static final int PROMISED_OFFSET = LENGTH_OFFSET + Long.BYTES;
    private static final int COPY_NUMBER_OFFSET = PROMISED_OFFSET + Long.BYTES;

    private BlockIndexFormat() {}

    public static byte[] recordKey(BlockId block) {
        return ByteBuffer.allocate(RECORD_KEY_BYTES)
                .put(RECORD_PREFIX)
                .putLong(block.value())
                .array();
    }

    public static byte[] segmentKey(BlockId block, int segment) {
        return ByteBuffer.allocate(SEGMENT_KEY_BYTES)
                .put(SEGMENT_PREFIX)
                .putLong(block.value())
                .putInt(segment)
                .array();
    }

    public static byte[] encodeRecord(BlockRecord entry) {
        CopyNumbers numbers = entry.numbers();
        byte version = numbers.isGenerationOnly() ? RECORD_VERSION_OF_GENERATION : RECORD_VERSION;
        ByteBuffer value = ByteBuffer.allocate(tailOffset(version) + entry.tail().length + Integer.BYTES)
                .put(version)
                .put((byte) entry.state().number())
                .putShort((short) entry.tail().length)
                .putInt(0)
                .putLong(entry.extent().offsetBytes())
                .putLong(entry.extent().lengthBytes())
                .putLong(entry.generation().value())
                .putLong(entry.lengthBytes());
        if (version == RECORD_VERSION) {
            value.putLong(numbers.promised().value()).putInt(numbers.number());
        }
        return sealed(recordKey(entry.block()), value.put(entry.tail()));
    }

    private static int tailOffset(byte version) {
        return version == RECORD_VERSION ? COPY_NUMBER_OFFSET + Integer.BYTES : PROMISED_OFFSET;
    }

    /** What a record adds to the sum: its CRC32C and the CRC32 of key and value, mixed. */
    static long hash(byte[] key, byte[] value) {
        CRC32 crc = new CRC32();
        crc.update(key, 0, key.length);
        crc.update(value, 0, value.length);
        long hash = crc.getValue() << Integer.SIZE;
        if (value.length >= Integer.BYTES) {
            hash |= Integer.toUnsignedLong(ByteBuffer.wrap(value).getInt(value.length - Integer.BYTES));
        }
        // Checksums are linear, so that those of like records differ alike; the finalizer of SplitMix64 is not.
        hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
        return hash ^ (hash >>> 31);
    }

    static byte[] encodeSum(long sum) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(sum)
                .array();
    }

    /** Whether what is stored is this sum; null for nothing. */
    public static boolean isSum(byte @Nullable [] value, long sum) {
        return Arrays.equals(value, encodeSum(sum));
    }

    /** @throws TatamiException CORRUPT, FORMAT_TOO_OLD or FORMAT_TOO_NEW */
    public static BlockRecord decodeRecord(byte[] key, byte[] value) throws TatamiException {
        if (key.length != RECORD_KEY_BYTES) {
            throw corrupt("a record's key of " + key.length + " bytes");
        }
        BlockId block = new BlockId(ByteBuffer.wrap(key).getLong(RECORD_PREFIX.length));
        ByteBuffer buffer = unsealed(key, value, "the record of block " + block);
        if (buffer.limit() == 0) {
            throw corrupt("the record of block " + block + " has only " + value.length + " bytes");
        }
        byte version = buffer.get(0);
        checkVersion(version, block);
        int tailOffset = tailOffset(version);
        if (buffer.limit() < tailOffset) {
            throw corrupt("the record of block " + block + " has only " + value.length + " bytes");
        }
        Extent extent = extent(buffer, EXTENT_OFFSET, "block " + block);
        long length = buffer.getLong(LENGTH_OFFSET);
        BlockRecord.State state = state(buffer.get(STATE_OFFSET), block);
        int tailBytes = buffer.getShort(TAIL_BYTES_OFFSET);
        int wanted = state == BlockRecord.State.FINALIZED ? 0 : (int) (length % Device.ALIGNMENT_BYTES);
        if (length < 0
                || length > extent.lengthBytes()
                || tailBytes != wanted
                || buffer.limit() != tailOffset + wanted) {
            throw corrupt("the record of block " + block + " is inconsistent");
        }
        byte[] tail = tailBytes == 0 ? BlockRecord.NO_TAIL : new byte[tailBytes];
        buffer.get(tailOffset, tail);
        return new BlockRecord(block, numbers(buffer, version, block), extent, length, state, tail);
    }

    private static CopyNumbers numbers(ByteBuffer buffer, byte version, BlockId block) throws TatamiException {
        boolean isGenerationOnly = version == RECORD_VERSION_OF_GENERATION;
        long ofBytes = buffer.getLong(GENERATION_OFFSET);
        long promised = isGenerationOnly ? ofBytes : buffer.getLong(PROMISED_OFFSET);
        int number = isGenerationOnly ? 0 : buffer.getInt(COPY_NUMBER_OFFSET);
        // A record has one encoding: the sum is made of what is encoded again.
        if (ofBytes < 0
                || promised < ofBytes
                || number < 0
                || isGenerationOnly != (number == 0 && promised == ofBytes)) {
            throw corrupt("the record of block " + block + " has inconsistent numbers");
        }
        return new CopyNumbers(number, Generation.of(ofBytes), Generation.of(promised));
    }

    /** The segment of {@code chunks} checksums from {@code first} of the array on. */
    static byte[] encodeSegment(byte[] key, int[] checksums, int first, int chunks) {
        ByteBuffer value = ByteBuffer.allocate((chunks + 1) * Integer.BYTES);
        value.asIntBuffer().put(checksums, first, chunks);
        return sealed(key, value.position(chunks * Integer.BYTES));
    }

    /** @throws TatamiException CORRUPT where the segment is missing or damaged */
    static ByteBuffer decodeSegment(byte[] key, byte @Nullable [] value, BlockId block) throws TatamiException {
        String what = "a segment of checksums of block " + block;
        if (value == null) {
            throw corrupt(what + " is missing");
        }
        return unsealed(key, value, what);
    }

    static byte[] encodeUnwritten(Extent unwritten) {
        return sealed(
                UNWRITTEN_KEY,
                ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES)
                        .putLong(unwritten.offsetBytes())
                        .putLong(unwritten.lengthBytes()));
    }

    /** @throws TatamiException CORRUPT */
    static Extent decodeUnwritten(byte @Nullable [] value) throws TatamiException {
        if (value == null) {
            return Extent.EMPTY;
        }
        ByteBuffer buffer = unsealed(UNWRITTEN_KEY, value, "what of the volume is unwritten");
        if (buffer.limit() != 2 * Long.BYTES) {
            throw corrupt("the record of the unwritten part of the volume has " + value.length + " bytes");
        }
        return extent(buffer, 0, "what of the volume is unwritten");
    }

    static byte[] encodeIdentity(UUID volume, UUID index) {
        ByteBuffer payload = ByteBuffer.allocate(IDENTITY_PAYLOAD_BYTES);
        UuidBytes.put(volume, payload);
        UuidBytes.put(index, payload);
        return payload.array();
    }

    private static byte[] sealed(byte[] key, ByteBuffer value) {
        return value.putInt(crc(key, value.array(), value.position())).array();
    }

    private static ByteBuffer unsealed(byte[] key, byte[] value, String what) throws TatamiException {
        int length = value.length - Integer.BYTES;
        if (length < 0 || ByteBuffer.wrap(value).getInt(length) != crc(key, value, length)) {
            throw corrupt(what + " fails its checksum");
        }
        return ByteBuffer.wrap(value, 0, length);
    }

    private static int crc(byte[] key, byte[] value, int length) {
        CRC32C crc = new CRC32C();
        crc.update(key, 0, key.length);
        crc.update(value, 0, length);
        return (int) crc.getValue();
    }

    private static void checkVersion(byte version, BlockId block) throws TatamiException {
        if (version < RECORD_VERSION_OF_GENERATION) {
            throw new TatamiException(
                    ErrorCode.FORMAT_TOO_OLD, "the record of block " + block + " has format version " + version);
        }
        if (version > RECORD_VERSION) {
            throw new TatamiException(
                    ErrorCode.FORMAT_TOO_NEW,
                    "the record of block " + block + " has format version " + version + "; this release knows "
                            + RECORD_VERSION);
        }
    }

    /** @param at where in the value offset and length are */
    private static Extent extent(ByteBuffer value, int at, String owner) throws TatamiException {
        long offset = value.getLong(at);
        long length = value.getLong(at + Long.BYTES);
        if (offset < 0 || length < 0 || (offset | length) % Device.ALIGNMENT_BYTES != 0) {
            throw corrupt(owner + " has an extent of " + length + " bytes at " + offset);
        }
        return new Extent(offset, length);
    }

    private static BlockRecord.State state(byte number, BlockId block) throws TatamiException {
        for (BlockRecord.State state : BlockRecord.State.values()) {
            if (state.number() == number) {
                return state;
            }
        }
        throw corrupt("block " + block + " has the unknown state " + number);
    }

    private static TatamiException corrupt(String what) {
        return new TatamiException(ErrorCode.CORRUPT, "block index: " + what);
    }
}
