package io.tatami.files;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** Small files that are replaced as a whole: after a crash at any moment such a file holds the old bytes or the new. */
public final class DurableFile {
    private DurableFile() {}

    /**
     * Makes {@code bytes} the content of {@code path}, durably when this returns. One caller at a time for a path: the
     * new content is first written beside it.
     *
     * @throws TatamiException IO_ERROR; the file has the old content or the new
     */
    public static void replace(Path path, byte[] bytes) throws TatamiException {
        Path target = path.toAbsolutePath();
        Path fresh = target.resolveSibling(target.getFileName() + ".new");
        try {
            writeThrough(fresh, ByteBuffer.wrap(bytes));
            CrashPoint.hit("durable-file.replace.before-rename");
            Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
            syncDirectory(target.resolveSibling("."));
            CrashPoint.hit("durable-file.replace.after-rename");
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot write " + path + ": " + Causes.inWords(e), e);
        }
    }

    /**
     * The content of {@code path}, or nothing where there is no such file.
     *
     * @throws TatamiException IO_ERROR
     */
    public static Optional<byte[]> read(Path path) throws TatamiException {
        try {
            return Files.exists(path) ? Optional.of(Files.readAllBytes(path)) : Optional.empty();
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot read " + path + ": " + Causes.inWords(e), e);
        }
    }

    private static void writeThrough(Path path, ByteBuffer bytes) throws IOException {
        try (FileChannel file = FileChannel.open(
                path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            file.force(true);
        }
    }

    /** Makes what others wrote into a file durable. */
    public static void sync(Path path) throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            file.force(true);
        }
    }

    /** Makes the names in a directory durable. */
    public static void syncDirectory(Path directory) throws IOException {
        try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
            names.force(true);
        }
    }
}
