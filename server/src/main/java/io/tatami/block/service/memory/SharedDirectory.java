package io.tatami.block.service.memory;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory on a file system in memory that other users can pass through, but not list. It is made when the first
 * file is; what servers that are no more have left of theirs goes then, too. Safe for use by many threads.
 */
public final class SharedDirectory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SharedDirectory.class);
    private static final String PREFIX = "tatami-shared-";
    private static final Pattern MADE_BY = Pattern.compile(PREFIX + "(\\d{1,18})-.*");

    private final Path parent;
    private @Nullable Path directory;
    private boolean closed;

    /** @param parent such as {@code /dev/shm} */
    public SharedDirectory(Path parent) {
        this.parent = parent;
    }

    /**
     * Where a file of this name is to be made.
     *
     * @throws TatamiException UNSUPPORTED where there is no such file system or it cannot be written; UNAVAILABLE once
     *     this is closed
     */
    synchronized Path newFile(String name) throws TatamiException {
        if (closed) {
            throw new TatamiException(ErrorCode.UNAVAILABLE, "the block server is stopping");
        }
        try {
            if (directory == null) {
                removeLeftBehind();
                Path made = Files.createTempDirectory(
                        parent, PREFIX + ProcessHandle.current().pid() + "-");
                Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwx--x--x"));
                directory = made;
            }
            return directory.resolve(name);
        } catch (IOException e) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED, "no memory can be shared in " + parent + ": " + Causes.inWords(e), e);
        }
    }

    /** Removes a file's name, if it is still there. */
    void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("cannot remove {}; its memory is not free before that", file, e);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (directory != null) {
            remove(directory);
        }
    }

    private void removeLeftBehind() throws IOException {
        String user = System.getProperty("user.name");
        try (DirectoryStream<Path> found = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path old : found) {
                if (Files.getOwner(old).getName().equals(user) && !isAlive(old)) {
                    removeAll(old);
                }
            }
        }
    }

    /** Whether the process that made the directory runs; true where its name tells of none. */
    private static boolean isAlive(Path directory) {
        Matcher made = MADE_BY.matcher(directory.getFileName().toString());
        return !made.matches()
                || ProcessHandle.of(Long.parseLong(made.group(1))).isPresent();
    }

    private void removeAll(Path old) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(old)) {
            files.forEach(this::remove);
        }
        remove(old);
    }
}
