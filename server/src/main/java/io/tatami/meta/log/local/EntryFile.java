package io.tatami.meta.log.local;

import com.sun.nio.file.ExtendedOpenOption;
import io.tatami.files.CrashPoint;
import io.tatami.files.DurableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * A file of entries that is being written: a head of one block, then entries ({@link LocalEntryFormat}), then zeros. It
 * is written in whole blocks, each write durable when it returns, past the page cache where the file system can do that
 * ({@code O_DSYNC}, {@code O_DIRECT}). The zeros are written before the entries that take their place: then an entry
 * has no length of the file and no place on the disk to make durable with it, which would cost as much again, and what
 * is missing of a torn entry is known by the zeros.
 *
 * <p>Used by one thread, which must not be interrupted: that would close the file.
 */
final class EntryFile implements AutoCloseable {
    private static final int ZEROS_BYTES = 1 << 20;
    private static final ByteBuffer ZEROS = buffer(ZEROS_BYTES).asReadOnlyBuffer();

    private final FileChannel channel;
    private long end;
    private long zerosEnd;

    private EntryFile(FileChannel channel) {
        this.channel = channel;
    }

    /** Memory for an entry of so many bytes and what fills its last block, as {@link #append} needs it. */
    static ByteBuffer buffer(int bytes) {
        int unit = LocalEntryFormat.BLOCK_BYTES;
        return ByteBuffer.allocateDirect((int) roundUp(bytes, unit) + unit).alignedSlice(unit);
    }

    /**
     * Makes a file, durably and with its name. One that is there has no entry that counts, and is replaced.
     *
     * @param head at most a block
     */
    static EntryFile create(Path path, byte[] head) throws IOException {
        Files.deleteIfExists(path);
        Files.createFile(path);
        EntryFile file = new EntryFile(open(path));
        try {
            file.prepare(2L * LocalEntryFormat.BLOCK_BYTES);
            CrashPoint.hit("meta.log.file-written");
            file.append(buffer(head.length).put(head).flip());
            file.channel.force(true);
            DurableFile.syncDirectory(path.resolveSibling("."));
            CrashPoint.hit("meta.log.file-made");
            return file;
        } catch (IOException | RuntimeException e) {
            file.channel.close();
            throw e;
        }
    }

    private static FileChannel open(Path path) throws IOException {
        Set<OpenOption> options = new HashSet<>(Set.of(StandardOpenOption.WRITE, StandardOpenOption.DSYNC));
        if (LocalEntryFormat.BLOCK_BYTES % Files.getFileStore(path).getBlockSize() == 0) {
            options.add(ExtendedOpenOption.DIRECT);
            try {
                return FileChannel.open(path, options);
            } catch (IOException | UnsupportedOperationException e) {
                // Such as on ramfs: through the page cache then, as durable.
                options.remove(ExtendedOpenOption.DIRECT);
            }
        }
        return FileChannel.open(path, options);
    }

    /** Where the next entry begins, which is about how long the file is. */
    long bytes() {
        return end;
    }

    /**
     * Writes an entry behind the others; it is durable when this returns. After an error nothing is known of it.
     *
     * @param entry from 0 to its limit, in memory of {@link #buffer}
     */
    void append(ByteBuffer entry) throws IOException {
        int bytes = entry.limit();
        int padded = (int) roundUp(bytes, LocalEntryFormat.BLOCK_BYTES);
        entry.limit(padded);
        for (int i = bytes; i < padded; i++) {
            entry.put(i, (byte) 0);
        }
        // A block of zeros stays behind it, by which the end is known.
        prepare(end + padded + LocalEntryFormat.BLOCK_BYTES);
        CrashPoint.hit("meta.log.before-write");
        write(entry, end);
        CrashPoint.hit("meta.log.after-write");
        end += padded;
    }

    private void prepare(long needed) throws IOException {
        if (needed <= zerosEnd) {
            return;
        }
        while (zerosEnd < needed) {
            write(ZEROS.duplicate(), zerosEnd);
            zerosEnd += ZEROS_BYTES;
        }
        CrashPoint.hit("meta.log.zeros-written");
    }

    private void write(ByteBuffer bytes, long from) throws IOException {
        long at = from;
        while (bytes.hasRemaining()) {
            at += channel.write(bytes, at);
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
