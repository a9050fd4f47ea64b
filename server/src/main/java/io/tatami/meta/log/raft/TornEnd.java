package io.tatami.meta.log.raft;

import com.google.protobuf.CodedInputStream;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a Raft log whose last write was torn by a loss of power: some of its sectors have come, and others are
 * still the zeros that the file was filled with beforehand. Ratis takes that for rot and does not open the log. It is
 * cut off here: what was not whole was never acknowledged. What has no such sector, or is followed by a whole entry,
 * has rotted and is left to Ratis, because it may have been acknowledged.
 *
 * <pre>
 *  file   "RaftLog1", entries, zeros
 *  entry  length varint, bytes, CRC32C of both u32
 * </pre>
 */
final class TornEnd {
    private static final Logger LOG = LoggerFactory.getLogger(TornEnd.class);
    private static final byte[] HEADER = "RaftLog1".getBytes(StandardCharsets.US_ASCII);
    private static final int SECTOR_BYTES = 512;
    /** Ratis takes no longer ones; see {@link RatisProperties}. */
    private static final int ENTRY_BYTES_MAX = 4 << 20;
    /** Of what can be under way when power is lost; a longer one is left as it is. */
    private static final int END_BYTES_MAX = 16 << 20;

    private static final int VARINT_BYTES_MAX = 5;
    /** An entry begins with its term, which is field 1 of its message. */
    private static final byte FIRST_TAG = 1 << 3;

    private TornEnd() {}

    /** Cuts the segment that was being written, if there is one and its end is torn. Durable when this returns. */
    static void cut(Path segments) throws IOException {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(segments, "log_inprogress_*")) {
            for (Path segment : open) {
                cutSegment(segment);
            }
        }
    }

    private static void cutSegment(Path segment) throws IOException {
        long end = endOfWhole(segment);
        if (end < HEADER.length) {
            return;
        }
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            byte[] rest = read(file, end);
            int length = lengthWithoutZeros(rest);
            boolean isLong = rest.length == END_BYTES_MAX && length > END_BYTES_MAX - SECTOR_BYTES;
            if (length > 0 && !isLong && lacksSector(rest, length, end) && !hasWhole(rest)) {
                LOG.warn(
                        "{}: the last write was torn, and {} bytes behind its place {} are dropped",
                        segment,
                        length,
                        end);
                file.setLength(end);
                file.getFD().sync();
            }
        }
    }

    /** The term of the last whole entry of a log; 0 where there is none. */
    static long lastTerm(Path segments) throws IOException {
        long term = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(segments, "log_*")) {
            for (Path segment : all) {
                // Terms only rise.
                term = Math.max(term, termOf(whole(segment).lastFrame()));
            }
        }
        return term;
    }

    /**
     * The whole entries from the beginning of a segment on.
     *
     * @param end where the last one ends; 0 where the header is not whole
     * @param lastFrame the last one with its length before it and its checksum behind it; empty where there is none
     */
    private record Whole(long end, byte[] lastFrame) {}

    private static long endOfWhole(Path segment) throws IOException {
        return whole(segment).end();
    }

    private static Whole whole(Path segment) throws IOException {
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(segment), 1 << 20))) {
            if (!Arrays.equals(in.readNBytes(HEADER.length), HEADER)) {
                return new Whole(0, new byte[0]);
            }
            long end = HEADER.length;
            byte[] last = new byte[0];
            while (true) {
                in.mark(VARINT_BYTES_MAX);
                byte[] prefix = in.readNBytes(VARINT_BYTES_MAX);
                in.reset();
                int length = frameBytes(prefix, 0);
                byte[] frame = in.readNBytes(length);
                if (length == 0 || frame.length < length || !isWhole(frame, 0, length)) {
                    return new Whole(end, last);
                }
                end += length;
                last = frame;
            }
        }
    }

    /** 0 where there is no entry. */
    private static long termOf(byte[] frame) throws IOException {
        if (frame.length == 0) {
            return 0;
        }
        CodedInputStream entry = CodedInputStream.newInstance(frame);
        int unused = entry.readRawVarint32();
        return entry.readTag() == FIRST_TAG ? entry.readUInt64() : 0;
    }

    private static byte[] read(RandomAccessFile file, long from) throws IOException {
        byte[] rest = new byte[(int) Math.min(file.length() - from, END_BYTES_MAX)];
        file.seek(from);
        file.readFully(rest);
        return rest;
    }

    private static int lengthWithoutZeros(byte[] bytes) {
        int length = bytes.length;
        while (length > 0 && bytes[length - 1] == 0) {
            length--;
        }
        return length;
    }

    /** Whether a sector of what was written is all zeros; the first is shared with what is whole. */
    private static boolean lacksSector(byte[] rest, int length, long end) {
        int written = Math.max(length, Math.min(frameBytes(rest, 0), rest.length));
        int sector = (int) ((SECTOR_BYTES - end % SECTOR_BYTES) % SECTOR_BYTES);
        if (rest[0] == 0) {
            return true;
        }
        for (; sector < written; sector += SECTOR_BYTES) {
            if (isZero(rest, sector, Math.min(sector + SECTOR_BYTES, rest.length))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isZero(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasWhole(byte[] rest) {
        for (int at = 1; at < rest.length; at++) {
            int length = rest[at] == 0 ? 0 : frameBytes(rest, at);
            if (length > 0 && at + length <= rest.length && begins(rest, at) && isWhole(rest, at, length)) {
                return true;
            }
        }
        return false;
    }

    /** Whether an entry may begin there; spares most of the sums. */
    private static boolean begins(byte[] bytes, int at) {
        int tag = at + 1;
        while (bytes[tag - 1] < 0) {
            tag++;
        }
        return bytes[tag] == FIRST_TAG;
    }

    /** The length of the entry that begins there, with its length and checksum; 0 where none does. */
    private static int frameBytes(byte[] bytes, int at) {
        int length = 0;
        for (int i = 0; i < VARINT_BYTES_MAX && at + i < bytes.length; i++) {
            length |= (bytes[at + i] & 0x7f) << (7 * i);
            if (bytes[at + i] >= 0) {
                return length <= 0 || length > ENTRY_BYTES_MAX ? 0 : i + 1 + length + Integer.BYTES;
            }
        }
        return 0;
    }

    private static boolean isWhole(byte[] bytes, int at, int length) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, at, length - Integer.BYTES);
        return ByteBuffer.wrap(bytes).getInt(at + length - Integer.BYTES) == (int) sum.getValue();
    }
}
