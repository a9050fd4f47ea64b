package io.tatami.client.block;

import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.UnitSize;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Units of memory in a file, which a block server fills and a reader on its host maps. The reader cannot write to them:
 * the file is made read-only for everybody once the server has mapped it.
 *
 * <p>Not safe for use by many threads. The memory must not be touched after {@link #close()}, not even for reading.
 */
public final class SharedUnits implements AutoCloseable {
    /** The bytes of a unit. */
    public static final int UNIT_BYTES = UnitSize.BYTES;

    /** The most units of a file; they must be mapped as one buffer. */
    public static final int UNITS_MAX = 64;

    private static final int ZEROS_BYTES = 1 << 20;

    private final Path path;
    private final ByteBuffer memory;

    private SharedUnits(Path path, ByteBuffer memory) {
        this.path = path;
        this.memory = memory;
    }

    /**
     * Makes a file and maps it. Its memory is taken now, so that no later access can fail for want of it.
     *
     * @param path of a file that is not there, on a file system in memory
     * @param units from 1 to {@link #UNITS_MAX}
     * @throws TatamiException NO_SPACE where the file could not be filled; there is none then
     */
    public static SharedUnits create(Path path, int units) throws TatamiException {
        checkUnits(units);
        try (FileChannel channel = FileChannel.open(
                path,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            fill(channel, (long) units * UNIT_BYTES);
            ByteBuffer memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) units * UNIT_BYTES);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("r--r--r--"));
            return new SharedUnits(path, memory);
        } catch (IOException e) {
            TatamiException failure = new TatamiException(
                    ErrorCode.NO_SPACE, "cannot share " + units + " units as " + path + ": " + e, e);
            if (!(e instanceof FileAlreadyExistsException)) {
                removeAfter(path, failure);
            }
            throw failure;
        }
    }

    /**
     * Maps a file that a server of this host has made, for reading.
     *
     * @throws TatamiException NOT_FOUND where this process cannot see it, as in a container of its own; IO_ERROR where it is
     *     not of so many units
     */
    public static SharedUnits map(Path path, int units) throws TatamiException {
        checkUnits(units);
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            if (channel.size() != (long) units * UNIT_BYTES) {
                throw new TatamiException(ErrorCode.IO_ERROR, path + " has not " + units + " units");
            }
            return new SharedUnits(path, channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
        } catch (TatamiException e) {
            throw e;
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "cannot map the memory shared as " + path + ": " + e, e);
        }
    }

    public Path path() {
        return path;
    }

    public int units() {
        return memory.capacity() / UNIT_BYTES;
    }

    /** All units, one behind the other; a view with a position and limit of its own. */
    public ByteBuffer memory() {
        return memory.duplicate();
    }

    /** Unmaps the memory, of which no view may be used any more. The file keeps its name. */
    @Override
    public void close() {
        Unmapping.unmap(memory);
    }

    private static void checkUnits(int units) {
        Check.check(units > 0 && units <= UNITS_MAX, "%d shared units", units);
    }

    private static void removeAfter(Path path, TatamiException failure) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private static void fill(FileChannel channel, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocate(ZEROS_BYTES);
        for (long filled = 0; filled < bytes; filled += zeros.position()) {
            zeros.clear();
            while (zeros.hasRemaining()) {
                if (channel.write(zeros) < 0) {
                    throw new IOException("nothing could be written");
                }
            }
        }
    }
}
