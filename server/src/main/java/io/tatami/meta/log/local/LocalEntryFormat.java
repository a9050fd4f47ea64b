package io.tatami.meta.log.local;

import io.tatami.meta.log.LogEntry;
import io.tatami.meta.log.StateHash;
import io.tatami.meta.state.Changes;
import io.tatami.meta.state.Draft;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * An entry as it stands in a file of the log, big-endian, from a multiple of {@value #BLOCK_BYTES} bytes on. Behind it
 * there are zeros.
 *
 * <pre>
 *  0         4         8         12        16             24             32        40           48
 * +---------+---------+---------+---------+--------------+--------------+---------+------------+---------+-
 * | "TTLE"  | length  | zeros   | crc32c  | hash after   | hash before  | index   | log millis | changes |
 * +---------+---------+---------+---------+--------------+--------------+---------+------------+---------+-
 *                                                        |&lt;------------------ length ------------------&gt;|
 *
 *  change: key length u32, value length u32 or 0xffffffff where the record is removed, key, value
 * </pre>
 *
 * The hash is that of the group's state ({@link StateHash}), which is computed over just these {@code length} bytes: it
 * is the entry's checksum, and ties it to the entry before. {@code zeros} counts the sectors of the entry that hold
 * nothing but zeros; where more do, the write was torn. The CRC32C covers the first 24 bytes with its own four as
 * zeros.
 */
final class LocalEntryFormat {
    static final int BLOCK_BYTES = 4 << 10;
    static final int SECTOR_BYTES = 512;
    static final int MAGIC = 0x54544c45;
    static final int LENGTH_OFFSET = Integer.BYTES;
    static final int ZEROS_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    static final int CRC_OFFSET = ZEROS_OFFSET + Integer.BYTES;
    static final int HASH_OFFSET = CRC_OFFSET + Integer.BYTES;
    static final int BEFORE_OFFSET = HASH_OFFSET + Long.BYTES;
    static final int INDEX_OFFSET = BEFORE_OFFSET + Long.BYTES;
    static final int MILLIS_OFFSET = INDEX_OFFSET + Long.BYTES;
    static final int CHANGES_OFFSET = MILLIS_OFFSET + Long.BYTES;
    private static final int NO_VALUE = -1;

    private LocalEntryFormat() {}

    /** What the first bytes of an entry say of the rest. */
    record Header(int length, int zeroSectors, long hashAfter) {
        /** From the first byte to the last. */
        int entryBytes() {
            return BEFORE_OFFSET + length;
        }
    }

    /**
     * An entry that was read, and the states between which it leads.
     *
     * @param entryBytes from its first byte to the last
     */
    record Stored(LogEntry entry, long hashBefore, long hashAfter, int entryBytes) {}

    /** Bytes that {@link #put} will write. */
    static int bytesOf(LogEntry entry) {
        long bytes = CHANGES_OFFSET;
        for (Map.Entry<byte[], Draft.Change> change : entry.changes().entrySet()) {
            byte[] value = change.getValue().value();
            bytes += 2L * Integer.BYTES + change.getKey().length + (value == null ? 0 : value.length);
        }
        return Math.toIntExact(bytes);
    }

    /**
     * Writes an entry at the start of {@code to}, whose limit is where it ends from then on.
     *
     * @param hashBefore of the state it was decided on
     * @return the hash of the state it leads to
     */
    static long put(LogEntry entry, long hashBefore, ByteBuffer to) {
        to.clear().position(BEFORE_OFFSET);
        to.putLong(hashBefore).putLong(entry.index()).putLong(entry.logMillis());
        for (Map.Entry<byte[], Draft.Change> change : entry.changes().entrySet()) {
            byte[] key = change.getKey();
            byte[] value = change.getValue().value();
            to.putInt(key.length)
                    .putInt(value == null ? NO_VALUE : value.length)
                    .put(key);
            if (value != null) {
                to.put(value);
            }
        }
        to.flip();
        long hashAfter = StateHash.over(to.slice(BEFORE_OFFSET, to.limit() - BEFORE_OFFSET));
        to.putInt(0, MAGIC)
                .putInt(LENGTH_OFFSET, to.limit() - BEFORE_OFFSET)
                .putInt(ZEROS_OFFSET, 0)
                .putInt(CRC_OFFSET, 0)
                .putLong(HASH_OFFSET, hashAfter);
        to.putInt(ZEROS_OFFSET, zeroSectors(to, 0, to.limit()));
        to.putInt(CRC_OFFSET, headerCrc(to));
        return hashAfter;
    }

    /** The header at the start of {@code bytes}, or nothing where none begins there. */
    static Optional<Header> header(ByteBuffer bytes) {
        if (bytes.remaining() < CHANGES_OFFSET || bytes.getInt(0) != MAGIC) {
            return Optional.empty();
        }
        Header header = new Header(bytes.getInt(LENGTH_OFFSET), bytes.getInt(ZEROS_OFFSET), bytes.getLong(HASH_OFFSET));
        boolean isSound =
                headerCrc(bytes) == bytes.getInt(CRC_OFFSET) && header.length() >= CHANGES_OFFSET - BEFORE_OFFSET;
        return isSound ? Optional.of(header) : Optional.empty();
    }

    /**
     * The entry in {@code bytes}, which begin with its header and end with it; nothing where they are not as written.
     */
    static Optional<Stored> parse(Header header, ByteBuffer bytes) {
        ByteBuffer hashed = bytes.slice(BEFORE_OFFSET, header.length());
        if (StateHash.over(hashed.duplicate()) != header.hashAfter()) {
            return Optional.empty();
        }
        long hashBefore = hashed.getLong();
        long index = hashed.getLong();
        long logMillis = hashed.getLong();
        NavigableMap<byte[], Draft.Change> changes = Changes.noChanges();
        while (hashed.hasRemaining()) {
            byte[] key = new byte[hashed.getInt()];
            int valueBytes = hashed.getInt();
            hashed.get(key);
            byte[] value = valueBytes == NO_VALUE ? null : new byte[valueBytes];
            if (value != null) {
                hashed.get(value);
            }
            changes.put(key, new Draft.Change(value));
        }
        LogEntry entry = new LogEntry(index, logMillis, changes);
        return Optional.of(new Stored(entry, hashBefore, header.hashAfter(), header.entryBytes()));
    }

    /**
     * How many of the sectors from {@code from} to {@code to}, the last one perhaps in part, hold nothing but zeros.
     */
    static int zeroSectors(ByteBuffer bytes, int from, int to) {
        int zeros = 0;
        for (int sector = from; sector < to; sector += SECTOR_BYTES) {
            if (isZero(bytes, sector, Math.min(sector + SECTOR_BYTES, to))) {
                zeros++;
            }
        }
        return zeros;
    }

    static boolean isZero(ByteBuffer bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes.get(i) != 0) {
                return false;
            }
        }
        return true;
    }

    private static int headerCrc(ByteBuffer bytes) {
        ByteBuffer header = ByteBuffer.allocate(BEFORE_OFFSET);
        header.put(0, bytes, 0, BEFORE_OFFSET).putInt(CRC_OFFSET, 0);
        CRC32C crc = new CRC32C();
        crc.update(header);
        return (int) crc.getValue();
    }
}
