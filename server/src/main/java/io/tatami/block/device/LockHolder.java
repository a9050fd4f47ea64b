package io.tatami.block.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Finds out who holds the lock of a file, from {@code /proc/locks} (see proc(5)), for error messages only. */
final class LockHolder {
    private static final Path LOCKS = Path.of("/proc/locks");
    private static final int PID_COLUMN = 4;
    private static final int FILE_COLUMN = 5;

    private LockHolder() {}

    /** The process id of a holder, where the kernel tells it. */
    static Optional<Long> of(Path path) {
        try {
            String inode = ":" + Files.getAttribute(path, "unix:ino");
            return ofInode(inode, Files.readAllLines(LOCKS));
        } catch (IOException | UnsupportedOperationException | NumberFormatException e) {
            // The holder's number is a courtesy: the lock is refused without it as well.
            return Optional.empty();
        }
    }

    /** A line reads {@code 1: POSIX ADVISORY WRITE 4711 08:01:131104 0 EOF}. */
    static Optional<Long> ofInode(String inodeSuffix, List<String> lines) {
        for (String line : lines) {
            List<String> columns = List.of(line.trim().split("\\s+", -1));
            if (columns.size() > FILE_COLUMN && columns.get(FILE_COLUMN).endsWith(inodeSuffix)) {
                return Optional.of(Long.parseLong(columns.get(PID_COLUMN)));
            }
        }
        return Optional.empty();
    }
}
