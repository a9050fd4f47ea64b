package io.tatami.block.volume.format;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.block.device.Device;
import io.tatami.files.CrashPoint;
import io.tatami.files.Envelope;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The first 4 MiB of a volume.
 *
 * <pre>
 *  0            4 KiB            2 MiB          2 MiB + 4 KiB       4 MiB                              size
 * +------------+----------------+--------------+-------------------+-----------------------------------+
 * | superblock |     unused     | superblock   |      unused       | extents of blocks …               |
 * +------------+----------------+--------------+-------------------+-----------------------------------+
 *
 * A superblock is an {@link Envelope} of kind SUPERBLOCK, owner the cluster, whose payload is, big-endian:
 *
 *  0                16               32        40
 * +----------------+----------------+---------+
 * | volume id      | index id       | size    |
 * +----------------+----------------+---------+
 *
 * As long as a format is under way, both places have an Envelope of kind FORMAT_BEGUN instead, owner the cluster:
 *
 *  0                16               32
 * +----------------+----------------+
 * | volume id      | id before      |
 * +----------------+----------------+
 * </pre>
 *
 * Each is written by format, first copy, flush, second copy, flush; either suffices, and a scrub writes a damaged
 * superblock anew. The index id names the block index that belongs to the volume, and the index names the volume. Size
 * is what the volume may use of its device, which may be larger, but never smaller. Id before is that of the volume
 * which the device was, zeros where it was none: a format that is given again after it was broken off knows by it what
 * it has left.
 */
public final class SuperblockFormat {
    /** Where the first extent may begin. */
    public static final long DATA_OFFSET = 4L << 20;

    /** The smallest volume: a superblock and one unit of blocks. */
    public static final long SIZE_BYTES_MIN = DATA_OFFSET + Device.UNIT_BYTES;

    private static final long SECOND_COPY_OFFSET = 2L << 20;
    private static final int COPY_BYTES = Device.ALIGNMENT_BYTES;
    private static final int VERSION = 1;
    private static final int PAYLOAD_BYTES = 5 * Long.BYTES;
    private static final int BEGUN_PAYLOAD_BYTES = 4 * Long.BYTES;
    private static final UUID NONE = new UUID(0, 0);

    private SuperblockFormat() {}

    /** What a superblock says. */
    public record Superblock(UUID cluster, UUID volume, UUID index, long sizeBytes) {}

    /**
     * What a format that is under way says.
     *
     * @param before which volume the device was; null where it was none
     */
    record Begun(UUID cluster, UUID volume, @Nullable UUID before) {}

    /** Writes both copies durably, one after the other. */
    static void write(Device device, Superblock superblock) throws TatamiException {
        writeCopy(device, 0, encode(superblock));
        CrashPoint.hit("volume.format.after-first-superblock");
        writeCopy(device, SECOND_COPY_OFFSET, encode(superblock));
        CrashPoint.hit("volume.format.after-second-superblock");
    }

    /** Overwrites both copies durably: what is there is then no volume. */
    static void begin(Device device, Begun begun) throws TatamiException {
        writeCopy(device, 0, encode(begun));
        CrashPoint.hit("volume.format.begun-in-first-copy");
        writeCopy(device, SECOND_COPY_OFFSET, encode(begun));
        CrashPoint.hit("volume.format.begun");
    }

    /** What a format that was broken off has left in one of the copies, null where there is none. */
    static @Nullable Begun findBegun(Device device) throws TatamiException {
        for (long offset : new long[] {0, SECOND_COPY_OFFSET}) {
            try {
                return decodeBegun(readCopy(device, offset), device.name());
            } catch (TatamiException e) {
                if (e.code() != ErrorCode.CORRUPT) {
                    throw e;
                }
            }
        }
        return null;
    }

    /**
     * Reads the superblock, from the second copy where the first is damaged.
     *
     * @throws TatamiException CORRUPT where neither copy is whole, as on a device never formatted; FORMAT_TOO_OLD or
     *     FORMAT_TOO_NEW; IO_ERROR
     */
    public static Superblock read(Device device) throws TatamiException {
        try {
            return decode(readCopy(device, 0), device.name());
        } catch (TatamiException first) {
            if (first.code() == ErrorCode.FORMAT_TOO_OLD || first.code() == ErrorCode.FORMAT_TOO_NEW) {
                throw first;
            }
            return readSecond(device, first);
        }
    }

    private static Superblock readSecond(Device device, TatamiException first) throws TatamiException {
        try {
            return decode(readCopy(device, SECOND_COPY_OFFSET), device.name());
        } catch (TatamiException second) {
            second.addSuppressed(first);
            throw second;
        }
    }

    /**
     * Writes a damaged copy anew, durably, from the other one.
     *
     * @param known what the whole copy said when the volume was opened
     * @return what was damaged, one sentence each
     * @throws TatamiException IO_ERROR
     */
    public static List<String> repair(Device device, Superblock known) throws TatamiException {
        List<String> damages = new ArrayList<>();
        for (long offset : new long[] {0, SECOND_COPY_OFFSET}) {
            String damage = damageOf(device, offset, known);
            if (!damage.isEmpty()) {
                damages.add("the copy of the superblock at byte " + offset + " was damaged, and is written anew: "
                        + damage);
                writeCopy(device, offset, encode(known));
            }
        }
        return damages;
    }

    private static String damageOf(Device device, long offset, Superblock known) {
        try {
            Superblock found = decode(readCopy(device, offset), device.name());
            return found.equals(known) ? "" : "it is of another volume, " + found.volume();
        } catch (TatamiException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** The superblock where there is one whole copy, null where the device bears none of any version. */
    static @Nullable Superblock find(Device device) throws TatamiException {
        try {
            return read(device);
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.CORRUPT) {
                return null;
            }
            throw e;
        }
    }

    private static byte[] encode(Superblock superblock) {
        ByteBuffer payload = ByteBuffer.allocate(PAYLOAD_BYTES);
        UuidBytes.put(superblock.volume(), payload);
        UuidBytes.put(superblock.index(), payload);
        payload.putLong(superblock.sizeBytes());
        return Envelope.wrap(Envelope.Kind.SUPERBLOCK, VERSION, superblock.cluster(), payload.array());
    }

    private static Superblock decode(byte[] copy, String name) throws TatamiException {
        Envelope.Opened opened =
                Envelope.unwrap(Envelope.Kind.SUPERBLOCK, VERSION, VERSION, copy, "the superblock of " + name);
        if (opened.payload().length != PAYLOAD_BYTES) {
            throw new TatamiException(ErrorCode.CORRUPT, "the superblock of " + name + " has a wrong length");
        }
        ByteBuffer payload = ByteBuffer.wrap(opened.payload());
        return new Superblock(opened.owner(), UuidBytes.get(payload), UuidBytes.get(payload), payload.getLong());
    }

    private static byte[] encode(Begun begun) {
        ByteBuffer payload = ByteBuffer.allocate(BEGUN_PAYLOAD_BYTES);
        UuidBytes.put(begun.volume(), payload);
        UuidBytes.put(begun.before() == null ? NONE : begun.before(), payload);
        return Envelope.wrap(Envelope.Kind.FORMAT_BEGUN, VERSION, begun.cluster(), payload.array());
    }

    private static Begun decodeBegun(byte[] copy, String name) throws TatamiException {
        Envelope.Opened opened =
                Envelope.unwrap(Envelope.Kind.FORMAT_BEGUN, VERSION, VERSION, copy, "the begun format of " + name);
        if (opened.payload().length != BEGUN_PAYLOAD_BYTES) {
            throw new TatamiException(ErrorCode.CORRUPT, "the begun format of " + name + " has a wrong length");
        }
        ByteBuffer payload = ByteBuffer.wrap(opened.payload());
        UUID volume = UuidBytes.get(payload);
        UUID before = UuidBytes.get(payload);
        return new Begun(opened.owner(), volume, before.equals(NONE) ? null : before);
    }

    private static void writeCopy(Device device, long offsetBytes, byte[] bytes) throws TatamiException {
        ByteBuffer sector = sector();
        sector.put(0, bytes);
        device.write(offsetBytes, sector);
        device.flush();
    }

    private static byte[] readCopy(Device device, long offsetBytes) throws TatamiException {
        ByteBuffer sector = sector();
        device.readFully(offsetBytes, sector);
        byte[] bytes = new byte[COPY_BYTES];
        sector.get(0, bytes);
        return bytes;
    }

    private static ByteBuffer sector() {
        return ByteBuffer.allocateDirect(2 * COPY_BYTES)
                .alignedSlice(Device.ALIGNMENT_BYTES)
                .limit(COPY_BYTES);
    }
}
