package io.tatami.files;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * A file that at most one process has locked, and that tells its pid. The lock ends with the process, however that
 * ends, so nobody takes a stranger with the same pid for the holder. Safe for use by many threads.
 *
 * <p>The system's lock is a POSIX record lock: a process loses it with the first channel of that file that it closes.
 * So a file held by this process is known here, and not opened a second time.
 */
public final class LockFile implements AutoCloseable {
    private static final Set<Path> HELD_HERE = new HashSet<>();

    private final Path path;
    private final RandomAccessFile file;

    private LockFile(Path path, RandomAccessFile file) {
        this.path = path;
        this.file = file;
    }

    /** The lock, unless this or another process holds it. The file's directory must be there. */
    public static Optional<LockFile> take(Path file) throws IOException {
        Path path = real(file);
        synchronized (HELD_HERE) {
            if (HELD_HERE.contains(path)) {
                return Optional.empty();
            }
            LockFile lock = new LockFile(path, new RandomAccessFile(path.toFile(), "rw"));
            try {
                if (lock.file.getChannel().tryLock() == null) {
                    return Optional.empty();
                }
                lock.file.setLength(0);
                lock.file.write(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII));
                HELD_HERE.add(path);
                return Optional.of(lock);
            } finally {
                if (!HELD_HERE.contains(path)) {
                    lock.file.close();
                }
            }
        }
    }

    /** The process that holds the lock. To find out, the lock is taken for a moment. */
    public static Optional<ProcessHandle> holder(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Path path = real(file);
        synchronized (HELD_HERE) {
            if (HELD_HERE.contains(path)) {
                return Optional.of(ProcessHandle.current());
            }
            try (RandomAccessFile probe = new RandomAccessFile(path.toFile(), "rw")) {
                if (probe.getChannel().tryLock() != null) {
                    return Optional.empty();
                }
            }
        }
        String pid = Files.readString(path, StandardCharsets.US_ASCII).strip();
        return pid.isEmpty() ? Optional.empty() : ProcessHandle.of(Long.parseLong(pid));
    }

    private static Path real(Path file) throws IOException {
        Path absolute = file.toAbsolutePath();
        Path directory = absolute.getParent();
        return directory == null ? absolute : directory.toRealPath().resolve(absolute.getFileName());
    }

    @Override
    public void close() throws IOException {
        synchronized (HELD_HERE) {
            HELD_HERE.remove(path);
            file.close();
        }
    }
}
