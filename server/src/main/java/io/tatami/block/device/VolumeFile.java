package io.tatami.block.device;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/** Makes the files that stand in for block devices. */
public final class VolumeFile {
    private static final long FALLOCATE_LIMIT_SECONDS = 60;

    private VolumeFile() {}

    /** Whether the blocks of a new file are its own. */
    public enum Allocation {
        /** Every block is allocated: writing never runs out of space. */
        FULL,
        /**
         * The file has holes, because the {@code fallocate} command is missing or the file system cannot do it: a write
         * fails with NO_SPACE when others have filled the file system. Writing zeros instead would take minutes.
         */
        SPARSE
    }

    /**
     * Makes a file of {@code sizeBytes} and makes its name durable. It has that name only when it is complete; where
     * this fails nothing is left, and what a crash has left under another name the next call removes.
     *
     * @throws TatamiException ALREADY_EXISTS; NO_SPACE where the file system has less free; IO_ERROR
     */
    public static Allocation create(Path path, long sizeBytes) throws TatamiException {
        if (Files.exists(path)) {
            throw new TatamiException(ErrorCode.ALREADY_EXISTS, path + " already exists");
        }
        Path fresh = path.resolveSibling(path.getFileName() + ".new");
        try {
            createEmpty(fresh, sizeBytes);
            CrashPoint.hit("volume.file.after-create");
            Allocation allocation = fallocate(fresh, sizeBytes) ? Allocation.FULL : Allocation.SPARSE;
            try (RandomAccessFile file = new RandomAccessFile(fresh.toFile(), "rw")) {
                file.setLength(sizeBytes);
                file.getFD().sync();
            }
            CrashPoint.hit("volume.file.after-allocate");
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
            syncParent(path);
            CrashPoint.hit("volume.file.after-rename");
            return allocation;
        } catch (TatamiException e) {
            throw e;
        } catch (IOException e) {
            TatamiException failed =
                    new TatamiException(ErrorCode.IO_ERROR, "cannot create " + path + ": " + Causes.inWords(e), e);
            deleteAfter(fresh, failed);
            throw failed;
        }
    }

    private static void createEmpty(Path path, long sizeBytes) throws IOException {
        Files.deleteIfExists(path);
        Files.createFile(path);
        long usableBytes = Files.getFileStore(path).getUsableSpace();
        if (usableBytes < sizeBytes) {
            TatamiException full = new TatamiException(
                    ErrorCode.NO_SPACE,
                    path + " should have " + sizeBytes + " bytes, but its file system has only " + usableBytes
                            + " free; choose a smaller capacity or another disk");
            deleteAfter(path, full);
            throw full;
        }
    }

    /** Java has no call for it; util-linux has a command. */
    private static boolean fallocate(Path path, long sizeBytes) throws IOException {
        Process process;
        try {
            process = new ProcessBuilder("fallocate", "--length", Long.toString(sizeBytes), path.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            return false;
        }
        try {
            if (!process.waitFor(FALLOCATE_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return false;
            }
            return process.exitValue() == 0;
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the file was allocated", e);
        }
    }

    private static void syncParent(Path path) throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        if (parent != null) {
            try (FileChannel directory = FileChannel.open(parent, StandardOpenOption.READ)) {
                directory.force(true);
            }
        }
    }

    private static void deleteAfter(Path path, TatamiException reason) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }
}
