package io.tatami.server;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Held by the process that serves a data directory, from before it opens anything until it ends, however it ends; so,
 * other than by a pid alone, nobody takes a stranger for a server. The file tells the holder's pid.
 */
final class ServingLock implements AutoCloseable {
    private static final int TRIES = 20;
    private static final long PAUSE_MILLIS = 25;

    private final RandomAccessFile file;

    private ServingLock(RandomAccessFile file) {
        this.file = file;
    }

    /** The lock, unless another process holds it. Tried for half a second, because {@link #holder} takes it for a moment. */
    static Optional<ServingLock> take(Path path) throws TatamiException, InterruptedException {
        try {
            RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
            for (int i = 0; i < TRIES; i++) {
                if (tryLock(file)) {
                    file.setLength(0);
                    file.write(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII));
                    return Optional.of(new ServingLock(file));
                }
                Thread.sleep(PAUSE_MILLIS);
            }
            file.close();
            return Optional.empty();
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot lock " + path + ": " + e, e);
        }
    }

    /** The process that holds the lock. Not to be asked by that process itself: it would lose the lock. */
    static Optional<ProcessHandle> holder(Path path) throws IOException {
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            if (tryLock(file)) {
                return Optional.empty();
            }
            String pid = Files.readString(path, StandardCharsets.US_ASCII).trim();
            return pid.isEmpty() ? Optional.empty() : ProcessHandle.of(Long.parseLong(pid));
        }
    }

    private static boolean tryLock(RandomAccessFile file) throws IOException {
        try {
            return file.getChannel().tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
