package io.tatami.block.device;

import com.sun.nio.file.ExtendedOpenOption;
import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.SystemErrorText;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A raw block device, or a file that stands in for one, opened with {@code O_DIRECT} and locked against other processes
 * while it is open. The lock is a POSIX record lock: it ends with the process, and it binds only those who ask for it.
 * A process loses it with the first channel of that file that it closes, so what is open here is known here, and not
 * opened a second time.
 */
public final class DirectDevice implements Device {
    /** What files are to the system's locks, of all that are open here. */
    private static final Set<Object> OPEN_HERE = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final Object fileKey;
    private final FileChannel channel;
    private final long sizeBytes;

    private DirectDevice(Path path, Object fileKey, FileChannel channel, long sizeBytes) {
        this.path = path;
        this.fileKey = fileKey;
        this.channel = channel;
        this.sizeBytes = sizeBytes;
    }

    /**
     * Opens and locks a device or file that exists.
     *
     * @throws TatamiException NOT_FOUND; PERMISSION_DENIED; IN_USE by another server; UNSUPPORTED where the file system
     *     has no {@code O_DIRECT}; INVALID_ARGUMENT where the path is no disk or file; IO_ERROR. Each message names the
     *     remedy.
     */
    public static DirectDevice open(Path path) throws TatamiException {
        if (Files.isDirectory(path)) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT, path + " is a directory; a volume is a block device or a file");
        }
        Object fileKey = fileKey(path);
        if (!OPEN_HERE.add(fileKey)) {
            throw new TatamiException(ErrorCode.IN_USE, path + " is already in use by this process");
        }
        try {
            return openLocked(path, fileKey);
        } catch (TatamiException | RuntimeException e) {
            OPEN_HERE.remove(fileKey);
            throw e;
        }
    }

    private static DirectDevice openLocked(Path path, Object fileKey) throws TatamiException {
        FileChannel channel = openChannel(path);
        try {
            lock(path, channel);
            long sizeBytes = Device.alignDown(channel.size());
            tryRead(path, channel, sizeBytes);
            return new DirectDevice(path, fileKey, channel, sizeBytes);
        } catch (IOException e) {
            closeAfter(channel, e);
            throw e instanceof TatamiException known ? known : failed("open", path, e);
        }
    }

    /** Two paths to one file have the same. */
    private static Object fileKey(Path path) throws TatamiException {
        try {
            Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
            return key == null ? path.toRealPath() : key;
        } catch (NoSuchFileException e) {
            throw absent(path, e);
        } catch (IOException e) {
            throw failed("open", path, e);
        }
    }

    private static TatamiException absent(Path path, NoSuchFileException cause) {
        return new TatamiException(
                ErrorCode.NOT_FOUND, "volume " + path + " does not exist; create it with 'tatami format'", cause);
    }

    @Override
    public String name() {
        return path.toString();
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public void readFully(long offsetBytes, ByteBuffer into) throws TatamiException {
        long position = offsetBytes;
        try {
            while (into.hasRemaining()) {
                int count = channel.read(into, position);
                if (count <= 0) {
                    throw new TatamiException(ErrorCode.IO_ERROR, path + " ends at " + position);
                }
                position += count;
            }
        } catch (TatamiException e) {
            throw e;
        } catch (IOException e) {
            throw failed("read " + into.remaining() + " bytes at " + position + " of", path, e);
        }
    }

    @Override
    public void write(long offsetBytes, ByteBuffer from) throws TatamiException {
        long position = offsetBytes;
        try {
            while (from.hasRemaining()) {
                position += channel.write(from, position);
            }
        } catch (IOException e) {
            if (ErrorCode.ofDisk(e) == ErrorCode.NO_SPACE) {
                throw new TatamiException(
                        ErrorCode.NO_SPACE,
                        "the file system of " + path
                                + " is full, and not all of the file is allocated: free space on it",
                        e);
            }
            throw failed("write " + from.remaining() + " bytes at " + position + " of", path, e);
        }
    }

    @Override
    public void flush() throws TatamiException {
        try {
            channel.force(false);
        } catch (IOException e) {
            throw failed("flush", path, e);
        }
    }

    @Override
    public void close() throws TatamiException {
        try {
            channel.close();
        } catch (IOException e) {
            throw failed("close", path, e);
        } finally {
            OPEN_HERE.remove(fileKey);
        }
    }

    private static FileChannel openChannel(Path path) throws TatamiException {
        try {
            return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT);
        } catch (NoSuchFileException e) {
            throw absent(path, e);
        } catch (AccessDeniedException e) {
            throw new TatamiException(
                    ErrorCode.PERMISSION_DENIED,
                    "this user cannot write to " + path + "; change its owner, or run as a user in its group",
                    e);
        } catch (IOException | UnsupportedOperationException e) {
            throw SystemErrorText.isInvalidArgument(e) || e instanceof UnsupportedOperationException
                    ? noDirectAccess(path, e)
                    : failed("open", path, e);
        }
    }

    /** Not every file system that accepts the flag at open can do it. */
    private static void tryRead(Path path, FileChannel channel, long sizeBytes) throws IOException {
        if (sizeBytes == 0) {
            return;
        }
        ByteBuffer sector = ByteBuffer.allocateDirect(2 * ALIGNMENT_BYTES)
                .alignedSlice(ALIGNMENT_BYTES)
                .limit(ALIGNMENT_BYTES);
        try {
            channel.read(sector, 0);
        } catch (IOException e) {
            throw SystemErrorText.isInvalidArgument(e) ? noDirectAccess(path, e) : e;
        }
    }

    private static void lock(Path path, FileChannel channel) throws IOException {
        if (channel.tryLock() == null) {
            String holder = LockHolder.of(path).map(pid -> "process " + pid).orElse("another process");
            throw new TatamiException(
                    ErrorCode.IN_USE, path + " is in use by " + holder + "; stop it first, or choose another volume");
        }
    }

    private static TatamiException noDirectAccess(Path path, Exception cause) {
        return new TatamiException(
                ErrorCode.UNSUPPORTED,
                "the file system of " + path + " does not support O_DIRECT, like tmpfs and some overlay file systems;"
                        + " put the volume on ext4 or xfs, or use a block device",
                cause);
    }

    private static TatamiException failed(String what, Path path, Exception cause) {
        return new TatamiException(
                ErrorCode.IO_ERROR, "cannot " + what + " " + path + ": " + Causes.inWords(cause), cause);
    }

    private static void closeAfter(FileChannel channel, IOException reason) {
        try {
            channel.close();
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }
}
