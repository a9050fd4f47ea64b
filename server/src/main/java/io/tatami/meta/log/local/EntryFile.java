package io.tatami.meta.log.local;

import io.tatami.base.CrashPoint;
import io.tatami.base.DurableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of entries that is being written: a head of one block, then entries ({@link LocalEntryFormat}), then zeros.
 * The zeros are written and flushed before the entries that take their place: then an entry's flush has no length and
 * no place on the disk to make durable with it, which would cost as much again, and what is missing of a torn entry is
 * known by the zeros. Used by one thread, which must not be interrupted: that would close the file.
 */
final class EntryFile implements AutoCloseable {
    private static final int ZEROS_BYTES = 1 << 20;
    private static final ByteBuffer ZEROS =
            ByteBuffer.allocateDirect(ZEROS_BYTES).asReadOnlyBuffer();

    private final FileChannel channel;
    private long end;
    private long zerosEnd;

    private EntryFile(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Makes a file, durably and with its name. One that is there has no entry that counts, and is replaced.
     *
     * @param head at most a block
     */
    static EntryFile create(Path path, byte[] head) throws IOException {
        Files.deleteIfExists(path);
        EntryFile file = new EntryFile(FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
        try {
            file.prepare(2L * LocalEntryFormat.BLOCK_BYTES);
            file.write(ByteBuffer.wrap(head), 0);
            file.end = LocalEntryFormat.BLOCK_BYTES;
            CrashPoint.hit("meta.log.file-written");
            file.channel.force(true);
            DurableFile.syncDirectory(path.resolveSibling("."));
            CrashPoint.hit("meta.log.file-made");
            return file;
        } catch (IOException | RuntimeException e) {
            file.channel.close();
            throw e;
        }
    }

    /** Where the next entry begins, which is about how long the file is. */
    long bytes() {
        return end;
    }

    /** Writes an entry behind the others; it is durable when this returns. After an error nothing is known of it. */
    void append(ByteBuffer entry) throws IOException {
        long next = roundUp(end + entry.remaining(), LocalEntryFormat.BLOCK_BYTES);
        // A block of zeros stays behind it, by which the end is known.
        prepare(next + LocalEntryFormat.BLOCK_BYTES);
        CrashPoint.hit("meta.log.before-write");
        write(entry, end);
        CrashPoint.hit("meta.log.before-flush");
        channel.force(false);
        CrashPoint.hit("meta.log.after-flush");
        end = next;
    }

    private void prepare(long needed) throws IOException {
        if (needed <= zerosEnd) {
            return;
        }
        while (zerosEnd < needed) {
            write(ZEROS.duplicate(), zerosEnd);
            zerosEnd += ZEROS_BYTES;
        }
        channel.force(false);
        CrashPoint.hit("meta.log.zeros-written");
    }

    /** In pieces: Java keeps a copy, as long as the longest, of what lies in its heap. */
    private void write(ByteBuffer bytes, long from) throws IOException {
        int limit = bytes.limit();
        long at = from;
        while (bytes.position() < limit) {
            bytes.limit(Math.min(limit, bytes.position() + ZEROS_BYTES));
            at += channel.write(bytes, at);
            bytes.limit(limit);
        }
    }

    static long roundUp(long bytes, int unit) {
        return (bytes + unit - 1) / unit * unit;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
