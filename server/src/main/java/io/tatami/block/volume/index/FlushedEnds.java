package io.tatami.block.volume.index;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.UuidBytes;
import io.tatami.block.volume.space.Extent;
import io.tatami.files.CrashPoint;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file beside a volume's index with what must outlive this process, though not the host: the {@link FlushedEnd} of
 * each block whose writer asked for that. It is written and never flushed. After the end of a process the kernel still
 * has it, and a start that finds the host's boot id in it takes it over; after a boot it tells nothing, as neither it
 * nor the bytes that it speaks of need be on a device.
 *
 * <pre>
 *  0        4          8         24          40       44        48       16384
 * +--------+----------+---------+-----------+--------+---------+--------+--------+--------+-
 * | magic  | version  | boot id | volume id | crc32c | lacking | zeros  | slot 0 | slot 1 | …
 * +--------+----------+---------+-----------+--------+---------+--------+--------+--------+-
 *
 * lacking: 1 where a block of the index may have been flushed further before this boot, plus 2 where an access of the
 *          device has failed since, so that it need not have what was written; else 0
 *
 * slot    +----------------------+----------------------+
 *         | copy 0 (8192 bytes)  | copy 1               |   in turn: the newest that is whole counts
 *         +----------------------+----------------------+
 *
 * copy     0        4        8        16      24           32       40       48      56        64
 *         +--------+--------+--------+-------+------------+--------+--------+-------+---------+-----------+------+
 *         | crc32c | bytes  | number | block | generation | extent | extent | base  | length  | checksums | tail |
 *         |        | behind |        | id    |            | offset | length | bytes |         |           |      |
 *         +--------+--------+--------+-------+------------+--------+--------+-------+---------+-----------+------+
 * </pre>
 *
 * All numbers are big-endian. Safe for use by many threads; each slot is used by one at a time.
 */
public final class FlushedEnds implements AutoCloseable {
    /** How far a block may be ahead of the index; after as many bytes it is synced. */
    public static final long AHEAD_BYTES_MAX = 16L << 20;

    /** Blocks that have a slot at a time; others are synced instead. */
    public static final int SLOTS_MAX = 4_096;

    private static final Logger LOG = LoggerFactory.getLogger(FlushedEnds.class);
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final int MAGIC = 0x54464c45;
    private static final int VERSION = 1;
    private static final int HEADER_BYTES = 2 * Integer.BYTES + 4 * Long.BYTES;
    private static final int SLOTS_OFFSET = 16 << 10;
    private static final int COPY_BYTES = 8 << 10;
    private static final int SLOT_BYTES = 2 * COPY_BYTES;
    private static final int LENGTH_OFFSET = Integer.BYTES;
    private static final int NUMBER_OFFSET = 2 * Integer.BYTES;
    private static final int LACKING = 1;
    private static final int IN_DOUBT = 2;
    private static final int CHECKSUMS_OFFSET = NUMBER_OFFSET + 7 * Long.BYTES;

    private final Path path;
    private final UUID volume;
    private final @Nullable UUID boot;
    private final Found found;
    private final Deque<Integer> freeSlots = new ArrayDeque<>();
    private int slots;
    private long number;
    private int lacking;
    private @Nullable RandomAccessFile file;

    /**
     * What a process before this one left.
     *
     * @param isAll whether every block of the index has, with the ends, all that was flushed of it before
     * @param isInDoubt whether the device need not have the bytes
     */
    private record Found(List<FlushedEnd> ends, boolean isAll, boolean isInDoubt) {
        static final Found ALL_SYNCED = new Found(List.of(), true, false);
        static final Found NOTHING = new Found(List.of(), false, false);

        int lacking() {
            return isAll ? 0 : LACKING;
        }
    }

    private FlushedEnds(Path path, UUID volume, @Nullable UUID boot, Found found) {
        this.path = path;
        this.volume = volume;
        this.boot = boot;
        this.found = found;
    }

    /** Where the file of an index is: beside its directory, which is RocksDB's. */
    public static Path beside(Path indexDirectory) {
        Path index = indexDirectory.toAbsolutePath().normalize();
        return index.resolveSibling("flushed-" + index.getFileName());
    }

    /** Keeps nothing: whoever asks is told to sync. */
    public static FlushedEnds none() {
        return new FlushedEnds(Path.of(""), new UUID(0, 0), null, Found.ALL_SYNCED);
    }

    /** The id of this boot of the host; nothing where the system has none, and then nothing can be kept. */
    public static Optional<UUID> bootId() {
        try {
            return Optional.of(UUID.fromString(Files.readString(BOOT_ID).trim()));
        } catch (IOException | IllegalArgumentException e) {
            LOG.info("{} tells no boot id ({}): what is flushed is synced", BOOT_ID, e.toString());
            return Optional.empty();
        }
    }

    /**
     * Reads what a process before this one left; what does not belong to this volume and this boot is passed over.
     * Nothing is kept before {@link #begin}.
     */
    public static FlushedEnds read(Path path, UUID volume, Optional<UUID> boot) {
        if (boot.isEmpty()) {
            return new FlushedEnds(path, volume, null, Found.ALL_SYNCED);
        }
        Found found = Found.NOTHING;
        if (Files.exists(path)) {
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
                found = read(file, volume, boot.get());
            } catch (IOException e) {
                LOG.warn("{} cannot be read, flushed bytes that were not synced may be lost", path, e);
            }
        }
        return new FlushedEnds(path, volume, boot.get(), found);
    }

    private static Found read(RandomAccessFile file, UUID volume, UUID boot) throws IOException {
        byte[] header = new byte[HEADER_BYTES + Integer.BYTES];
        if (file.length() < SLOTS_OFFSET) {
            return Found.NOTHING;
        }
        file.readFully(header);
        if (!Arrays.equals(header, header(volume, boot))) {
            return Found.NOTHING;
        }
        int lacking = file.readInt();
        List<FlushedEnd> found = new ArrayList<>();
        byte[] slot = new byte[SLOT_BYTES];
        long end = Math.min(file.length(), SLOTS_OFFSET + (long) SLOTS_MAX * SLOT_BYTES);
        for (long at = SLOTS_OFFSET; at < end; at += SLOT_BYTES) {
            Arrays.fill(slot, (byte) 0);
            file.seek(at);
            file.readFully(slot, 0, (int) Math.min(SLOT_BYTES, end - at));
            newest(slot).ifPresent(found::add);
        }
        return new Found(found, (lacking & LACKING) == 0, (lacking & IN_DOUBT) != 0);
    }

    private static Optional<FlushedEnd> newest(byte[] slot) {
        ByteBuffer first = copy(slot, 0);
        ByteBuffer second = copy(slot, COPY_BYTES);
        boolean isFirst =
                isWhole(first) && (!isWhole(second) || first.getLong(NUMBER_OFFSET) > second.getLong(NUMBER_OFFSET));
        ByteBuffer newest = isFirst ? first : second;
        return isWhole(newest) ? Optional.of(decode(newest)) : Optional.empty();
    }

    private static ByteBuffer copy(byte[] slot, int at) {
        return ByteBuffer.wrap(slot, at, COPY_BYTES).slice();
    }

    private static boolean isWhole(ByteBuffer copy) {
        int bytes = copy.getInt(LENGTH_OFFSET);
        return bytes >= CHECKSUMS_OFFSET - NUMBER_OFFSET
                && bytes <= COPY_BYTES - NUMBER_OFFSET
                && copy.getInt(0) == crc(copy, NUMBER_OFFSET + bytes);
    }

    private static int crc(ByteBuffer copy, int end) {
        CRC32C crc = new CRC32C();
        crc.update(copy.duplicate().position(LENGTH_OFFSET).limit(end));
        return (int) crc.getValue();
    }

    /**
     * Begins to keep the ends of blocks, and forgets what was {@link #found}: the index must have it. Where the file
     * cannot be written, nothing is kept, and the log tells.
     *
     * @param isLacking whether a block of the index may lack bytes that were flushed before: the next start, too, is to
     *     know that
     */
    public synchronized void begin(boolean isLacking) {
        if (boot == null) {
            return;
        }
        try {
            RandomAccessFile opened = new RandomAccessFile(path.toFile(), "rw");
            file = opened;
            opened.setLength(0);
            opened.setLength(SLOTS_OFFSET);
            ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES + 2 * Integer.BYTES);
            lacking = isLacking ? LACKING : 0;
            opened.write(header.put(header(volume, boot)).putInt(lacking).array());
        } catch (IOException e) {
            giveUp(e);
        }
    }

    /**
     * An access of the device has failed: what was written before, and not synced, may be lost. The next start is to
     * look, before it takes over what was kept.
     */
    public synchronized void doubt() {
        if (boot == null) {
            return;
        }
        try (RandomAccessFile marked = new RandomAccessFile(path.toFile(), "rw")) {
            if (marked.length() >= SLOTS_OFFSET) {
                marked.seek(HEADER_BYTES + Integer.BYTES);
                marked.writeInt((file == null ? found.lacking() : lacking) | IN_DOUBT);
            }
        } catch (IOException e) {
            LOG.warn("{} cannot be marked: the next start takes for granted what it finds there", path, e);
        }
    }

    /** What was flushed and was not in the index when it was written, a block each, in no order. */
    public List<FlushedEnd> found() {
        return found.ends();
    }

    /** Whether what was {@link #found} is to be compared with the device before it is believed. */
    public boolean isInDoubt() {
        return found.isInDoubt();
    }

    /**
     * Whether every block of the index has, together with what was {@link #found}, all that was ever flushed of it;
     * false after a boot of the host, and where nothing tells.
     */
    public boolean foundAll() {
        return found.isAll();
    }

    private static byte[] header(UUID volume, UUID boot) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES + Integer.BYTES);
        header.putInt(MAGIC).putInt(VERSION);
        UuidBytes.put(boot, header);
        UuidBytes.put(volume, header);
        CRC32C crc = new CRC32C();
        crc.update(header.array(), 0, HEADER_BYTES);
        return header.putInt((int) crc.getValue()).array();
    }

    private static FlushedEnd decode(ByteBuffer copy) {
        int end = NUMBER_OFFSET + copy.getInt(LENGTH_OFFSET);
        ByteBuffer bytes = copy.duplicate().position(NUMBER_OFFSET + Long.BYTES).limit(end);
        BlockId block = new BlockId(bytes.getLong());
        Generation generation = Generation.of(bytes.getLong());
        Extent extent = new Extent(bytes.getLong(), bytes.getLong());
        FlushedEnd.Base base = new FlushedEnd.Base(block, generation, extent, bytes.getLong());
        long length = bytes.getLong();
        int[] checksums = new int[FlushedEnd.chunks(base.lengthBytes(), length)];
        for (int chunk = 0; chunk < checksums.length; chunk++) {
            checksums[chunk] = bytes.getInt();
        }
        byte[] tail = new byte[bytes.remaining()];
        bytes.get(tail);
        return new FlushedEnd(base, length, checksums, tail);
    }

    private static byte[] encode(FlushedEnd end, long number) {
        FlushedEnd.Base base = end.base();
        int bytes = CHECKSUMS_OFFSET + end.checksums().length * Integer.BYTES + end.tail().length;
        ByteBuffer copy = ByteBuffer.allocate(bytes)
                .putInt(0)
                .putInt(bytes - NUMBER_OFFSET)
                .putLong(number)
                .putLong(base.block().value())
                .putLong(base.generation().value())
                .putLong(base.extent().offsetBytes())
                .putLong(base.extent().lengthBytes())
                .putLong(base.lengthBytes())
                .putLong(end.lengthBytes());
        for (int checksum : end.checksums()) {
            copy.putInt(checksum);
        }
        copy.put(end.tail());
        return copy.putInt(0, crc(copy, bytes)).array();
    }

    /** A place for one block's end; null where there is none. */
    public synchronized @Nullable Slot slot() {
        if (file == null) {
            return null;
        }
        Integer free = freeSlots.poll();
        if (free != null) {
            return new Slot(free);
        }
        return slots == SLOTS_MAX ? null : new Slot(slots++);
    }

    private synchronized boolean write(int slot, byte[] copy, long copyNumber) {
        RandomAccessFile open = file;
        if (open == null) {
            return false;
        }
        try {
            open.seek(SLOTS_OFFSET + (long) slot * SLOT_BYTES + copyNumber % 2 * COPY_BYTES);
            open.write(copy);
            return true;
        } catch (IOException e) {
            giveUp(e);
            return false;
        }
    }

    private synchronized long nextNumber() {
        return ++number;
    }

    /** From now on whoever asks is told to sync; what was kept stays in the file. */
    private void giveUp(IOException reason) {
        LOG.warn("{} cannot be written: what is flushed is synced until the next start", path, reason);
        close();
    }

    @Override
    public synchronized void close() {
        RandomAccessFile closing = file;
        file = null;
        if (closing != null) {
            try {
                closing.close();
            } catch (IOException e) {
                LOG.debug("{} was not closed", path, e);
            }
        }
    }

    /** The place of one block's end. Used by one thread at a time. */
    public final class Slot {
        private final int slot;
        private long writes;

        private Slot(int slot) {
            this.slot = slot;
        }

        /** Replaces what was kept; false, with that still there, where it cannot be written: sync instead. */
        public boolean keep(FlushedEnd end) {
            CrashPoint.hit("volume.flushed-ends.before-write");
            boolean isKept = write(slot, encode(end, nextNumber()), writes);
            if (isKept) {
                writes++;
            }
            return isKept;
        }

        /** Forgets what is kept, and gives the place to others; false, with that still there, where it cannot. */
        public boolean free() {
            byte[] nothing = new byte[NUMBER_OFFSET];
            boolean isFree = write(slot, nothing, 0) && write(slot, nothing, 1);
            if (isFree) {
                synchronized (FlushedEnds.this) {
                    freeSlots.add(slot);
                }
            }
            return isFree;
        }
    }
}
