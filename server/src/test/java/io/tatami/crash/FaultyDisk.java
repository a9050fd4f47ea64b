package io.tatami.crash;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A disk of its own for a test, which becomes full, or fails, when the test says so. It is ext4 on a loop device whose
 * file has no blocks yet and lies in a small file system in memory: what the device writes for the first time while
 * that one has no room is an I/O error, as of a disk that breaks. Needs root; the test is skipped without. Used by one
 * thread.
 */
public final class FaultyDisk implements AutoCloseable {
    private static final long DISK_BYTES = 256L << 20;
    private static final long BACKING_BYTES = 320L << 20;
    private static final int CHUNK_BYTES = 64 << 10;

    private final Path backing;
    private final Path directory;
    private LoopMount mount;

    /** @param directory where the disk is mounted */
    public FaultyDisk(Path directory) throws IOException {
        if (!"root".equals(System.getProperty("user.name"))) {
            abort("mounting a file system needs root");
        }
        this.directory = directory;
        this.backing = Files.createDirectories(directory.resolveSibling(directory.getFileName() + ".disk"));
        LoopMount.run("mount", "-t", "tmpfs", "-o", "size=" + BACKING_BYTES, "tmpfs", backing.toString());
        try {
            this.mount = LoopMount.make(image(), DISK_BYTES, directory);
        } catch (IOException | RuntimeException e) {
            LoopMount.run("umount", backing.toString());
            throw e;
        }
    }

    private Path image() {
        return backing.resolve("image");
    }

    /** From here on nothing more fits on it: {@code ENOSPC}. */
    public void fill() throws IOException {
        fill(ballast());
    }

    /** So much is free afterwards, or a little less; what is there already has to fit. */
    public void fillTo(long freeBytes) throws IOException {
        try (FileChannel out = FileChannel.open(ballast(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            while (Files.getFileStore(directory).getUsableSpace() > freeBytes) {
                int unused = out.write(ByteBuffer.allocate(1 << 20));
                out.force(true);
            }
        }
    }

    /** Has room again after it became full. */
    public void makeRoom() throws IOException {
        Files.delete(ballast());
    }

    /** Has room for so many blocks of its file system after it became full. */
    public void makeRoom(int blocks) throws IOException {
        try (FileChannel ballast = FileChannel.open(ballast(), StandardOpenOption.WRITE)) {
            long blockBytes = Files.getFileStore(directory).getBlockSize();
            FileChannel unused = ballast.truncate(Math.max(0, ballast.size() - blocks * blockBytes));
            ballast.force(true);
        }
    }

    private Path ballast() {
        return directory.resolve("ballast");
    }

    /** From here on it cannot write what it has not written before: {@code EIO}. */
    public void fail() throws IOException {
        fill(backing.resolve("ballast"));
    }

    /**
     * As often as there is room again: a file system reserves more for a file that is open than it takes in the end.
     */
    private static void fill(Path ballast) throws IOException {
        long filled = -1;
        while (!Files.exists(ballast) || Files.size(ballast) > filled) {
            filled = Files.exists(ballast) ? Files.size(ballast) : 0;
            try (FileChannel out = FileChannel.open(ballast, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
                for (int bytes = CHUNK_BYTES; bytes > 0; bytes /= 2) {
                    writeUntilFull(out, bytes);
                }
                out.force(true);
            }
        }
    }

    private static void writeUntilFull(FileChannel out, int bytes) {
        try {
            while (true) {
                int unused = out.write(ByteBuffer.allocate(bytes));
            }
        } catch (IOException e) {
            assertTrue(String.valueOf(e.getMessage()).contains("No space left"), e::toString);
        }
    }

    /** Whether names in one of its directories may be made, replaced and removed; what is open can be written. */
    public void setWritable(Path inIt, boolean writable) throws IOException {
        LoopMount.run("chattr", writable ? "-i" : "+i", inIt.toString());
    }

    /**
     * It takes everything again, and has what had reached it: what the kernel kept of it is lost. Nobody may use it
     * meanwhile.
     */
    public void heal() throws IOException {
        Files.deleteIfExists(backing.resolve("ballast"));
        mount.close();
        mount = LoopMount.mount(image(), directory);
        Files.deleteIfExists(ballast());
    }

    @Override
    public void close() throws IOException {
        mount.close();
        LoopMount.run("umount", backing.toString());
    }
}
