package io.tatami.meta.service.host;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Keeps a second server off a directory. The file tells whose it is; the lock ends with the process. */
final class DirectoryLock implements AutoCloseable {
    private static final String FILE_NAME = "lock";

    private final RandomAccessFile file;

    private DirectoryLock(RandomAccessFile file) {
        this.file = file;
    }

    /** @throws TatamiException IN_USE, naming the process that has it */
    static DirectoryLock take(Path directory) throws TatamiException {
        Path path = directory.resolve(FILE_NAME);
        try {
            Files.createDirectories(directory);
            RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
            if (!tryLock(file)) {
                String holder =
                        Files.readString(path, StandardCharsets.US_ASCII).trim();
                file.close();
                throw new TatamiException(
                        ErrorCode.IN_USE,
                        directory + " is served already, by process " + holder + "; stop that one first");
            }
            file.setLength(0);
            file.write(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII));
            return new DirectoryLock(file);
        } catch (TatamiException e) {
            throw e;
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot lock " + path + ": " + e, e);
        }
    }

    private static boolean tryLock(RandomAccessFile file) throws IOException {
        try {
            FileLock lock = file.getChannel().tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
