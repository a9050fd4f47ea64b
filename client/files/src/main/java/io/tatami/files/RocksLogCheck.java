package io.tatami.files;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * Tells damage of RocksDB's logs, its write-ahead logs and its MANIFEST, from a torn end. RocksDB takes a record whose
 * length reaches behind the end of the file for torn, and drops it without a word, with all that follow: one flipped
 * bit of a length loses records that were acknowledged, or whole tables. And where a header is all zeros, it passes
 * over the rest of its block. So whoever opens such a store asks here first.
 *
 * <p>A log is made of blocks of 32 KiB. A record is cut into fragments where it reaches over the end of a block; what
 * is left of a block that is too short for a header is zeros. Numbers are little-endian; the CRC32C, in masked form,
 * covers type and payload.
 *
 * <pre>
 *  0        4        6      7        7 + length
 * +--------+--------+------+---------+
 * | crc32c | length | type | payload |     type 1: whole record, 2: first fragment, 3: middle, 4: last
 * +--------+--------+------+---------+
 * </pre>
 *
 * Every record is synced before the next one is written. So a bad fragment is damage where a record begins behind it,
 * and where it is whole but for its length or type; else it is the end that a crash tore, which nobody was told of.
 * Logs whose files are reused have another header and are not known here.
 */
public final class RocksLogCheck {
    private static final int BLOCK_BYTES = 32 << 10;
    private static final int LENGTH_OFFSET = Integer.BYTES;
    private static final int TYPE_OFFSET = LENGTH_OFFSET + Short.BYTES;
    private static final int HEADER_BYTES = TYPE_OFFSET + 1;
    private static final int WHOLE = 1;
    private static final int FIRST = 2;
    private static final int LAST = 4;
    private static final int CRC_ROTATION = 15;
    private static final int CRC_DELTA = 0xa282ead8;

    private static final Pattern WRITE_AHEAD_LOG = Pattern.compile("\\d+\\.log");
    private static final Pattern MANIFEST = Pattern.compile("MANIFEST-\\d+");
    private static final String CURRENT = "CURRENT";

    private RocksLogCheck() {}

    /**
     * What is damaged of the logs of a store, one sentence each; empty where nothing is, and where there is no store.
     * May be asked while the store is open and written.
     */
    public static List<String> findDamage(Path directory) throws IOException {
        List<String> damages = new ArrayList<>();
        for (Path log : logs(directory, damages)) {
            try {
                OptionalLong damaged = findDamageOf(log);
                damaged.ifPresent(at ->
                        damages.add(log.getFileName() + " is damaged at byte " + at + ", and records are behind it"));
            } catch (NoSuchFileException e) {
                // An open store has replaced it meanwhile; what a closed one misses it says itself when it is opened.
                continue;
            }
        }
        return damages;
    }

    /** Where the first damaged fragment of a log begins; nothing where it is sound, or torn at its end. */
    static OptionalLong findDamageOf(Path log) throws IOException {
        // What is appended from now on may be seen in part.
        long sizeBytes = Files.size(log);
        long badAt = -1;
        try (InputStream in = Files.newInputStream(log)) {
            for (long start = 0; start < sizeBytes; start += BLOCK_BYTES) {
                byte[] bytes = in.readNBytes((int) Math.min(BLOCK_BYTES, sizeBytes - start));
                Block block = new Block(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
                int from = 0;
                if (badAt < 0) {
                    from = block.soundBytes();
                    if (from < 0) {
                        continue;
                    }
                    badAt = start + from;
                    if (block.isWholeButForItsHeader(from)) {
                        return OptionalLong.of(badAt);
                    }
                    from++;
                }
                if (block.hasRecordFrom(from)) {
                    return OptionalLong.of(badAt);
                }
            }
        }
        return OptionalLong.empty();
    }

    /** The logs there are, without a MANIFEST whose name CURRENT does not tell: that the store itself notices. */
    private static List<Path> logs(Path directory, List<String> damages) throws IOException {
        List<Path> logs = new ArrayList<>();
        if (!Files.exists(directory.resolve(CURRENT))) {
            return logs;
        }
        String current = nameInCurrent(directory);
        if (MANIFEST.matcher(current).matches()) {
            Path manifest = directory.resolve(current);
            if (Files.exists(manifest)) {
                logs.add(manifest);
            } else if (current.equals(nameInCurrent(directory))) {
                damages.add(CURRENT + " names " + current + ", which is not there");
            }
        }
        try (Stream<Path> files = Files.list(directory)) {
            files.filter(file -> WRITE_AHEAD_LOG
                            .matcher(file.getFileName().toString())
                            .matches())
                    .sorted()
                    .forEach(logs::add);
        }
        return logs;
    }

    private static String nameInCurrent(Path directory) throws IOException {
        return new String(Files.readAllBytes(directory.resolve(CURRENT)), StandardCharsets.ISO_8859_1).strip();
    }

    /** One block, the last of a log perhaps shorter than the others. */
    private record Block(ByteBuffer bytes) {
        /** Where the first fragment begins that is not sound; -1 where all are, up to the zeros at the end. */
        int soundBytes() {
            int at = 0;
            while (bytes.limit() - at >= HEADER_BYTES) {
                int length = length(at);
                if (!isSound(at, type(at), length)) {
                    return at;
                }
                at += HEADER_BYTES + length;
            }
            return -1;
        }

        /** Whether a record begins somewhere from a place on. */
        boolean hasRecordFrom(int from) {
            for (int at = from; bytes.limit() - at >= HEADER_BYTES; at++) {
                int type = type(at);
                if ((type == WHOLE || type == FIRST) && isSound(at, type, length(at))) {
                    return true;
                }
            }
            return false;
        }

        /** Whether a fragment is the last here and sound with another length, or with another type. */
        boolean isWholeButForItsHeader(int at) {
            int rest = bytes.limit() - at - HEADER_BYTES;
            for (int type = WHOLE; type <= LAST; type++) {
                if (isSound(at, type, length(at))) {
                    return true;
                }
            }
            return isSound(at, type(at), rest);
        }

        private boolean isSound(int at, int type, int length) {
            if (type < WHOLE || type > LAST || length > bytes.limit() - at - HEADER_BYTES) {
                return false;
            }
            CRC32C crc = new CRC32C();
            crc.update(type);
            crc.update(bytes.array(), at + HEADER_BYTES, length);
            int masked = Integer.rotateRight((int) crc.getValue(), CRC_ROTATION) + CRC_DELTA;
            return masked == bytes.getInt(at);
        }

        private int length(int at) {
            return Short.toUnsignedInt(bytes.getShort(at + LENGTH_OFFSET));
        }

        private int type(int at) {
            return Byte.toUnsignedInt(bytes.get(at + TYPE_OFFSET));
        }
    }
}
