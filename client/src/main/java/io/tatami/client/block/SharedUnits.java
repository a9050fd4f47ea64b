package io.tatami.client.block;

import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.UnitSize;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Units of memory in a file of a block server's, mapped by the server where a reader on its host reads what the server
 * puts there, and by the client in any case. Only the side that fills them can write to them.
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
     * Makes a file and maps it; nobody can write to it otherwise. Its memory is taken now, so that no later access can
     * fail for want of it.
     *
     * @param path of a file that is not there, on a file system in memory
     * @param units from 1 to {@link #UNITS_MAX}
     * @throws TatamiException NO_SPACE where the file could not be filled or mapped; there is none then
     */
    public static SharedUnits create(Path path, int units) throws TatamiException {
        try (FileChannel channel = createFile(path, units, "r--r--r--")) {
            return new SharedUnits(path, channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size()));
        } catch (TatamiException e) {
            throw e;
        } catch (IOException e) {
            throw notMade(path, units, e);
        }
    }

    /**
     * Maps a file that a server of this host has made, for reading.
     *
     * @throws TatamiException NOT_FOUND where this process cannot see it, as in a container of its own; IO_ERROR where
     *     it is not of so many units
     */
    static SharedUnits map(Path path, int units) throws TatamiException {
        return map(path, units, FileChannel.MapMode.READ_ONLY, StandardOpenOption.READ);
    }

    /** {@link #map} of a file of {@link SharedFile#create}, for writing. */
    public static SharedUnits mapWritable(Path path, int units) throws TatamiException {
        return map(path, units, FileChannel.MapMode.READ_WRITE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static SharedUnits map(Path path, int units, FileChannel.MapMode mode, OpenOption... options)
            throws TatamiException {
        checkUnits(units);
        try (FileChannel channel = FileChannel.open(path, options)) {
            if (channel.size() != (long) units * UNIT_BYTES) {
                throw new TatamiException(ErrorCode.IO_ERROR, path + " is shorter than " + units + " units");
            }
            return new SharedUnits(path, channel.map(mode, 0, channel.size()));
        } catch (TatamiException e) {
            throw e;
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "cannot map the memory shared as " + path + ": " + e, e);
        }
    }

    /**
     * Makes and opens a file whose memory is taken already.
     *
     * @param permissions of the file from then on
     * @throws TatamiException NO_SPACE; there is no file of this making then
     */
    static FileChannel createFile(Path path, int units, String permissions) throws TatamiException {
        checkUnits(units);
        FileChannel channel;
        try {
            channel = FileChannel.open(
                    path,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.NO_SPACE, "cannot make " + path + ": " + e, e);
        }
        try {
            fill(channel, (long) units * UNIT_BYTES);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
            return channel;
        } catch (IOException e) {
            closeAfter(channel, e);
            throw notMade(path, units, e);
        }
    }

    public Path path() {
        return path;
    }

    int units() {
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

    /** Removes the file, too. */
    private static TatamiException notMade(Path path, int units, IOException cause) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        return new TatamiException(
                ErrorCode.NO_SPACE, "cannot share " + units + " units as " + path + ": " + cause, cause);
    }

    private static void closeAfter(FileChannel channel, IOException reason) {
        try {
            channel.close();
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }

    private static void fill(FileChannel channel, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocate(ZEROS_BYTES);
        for (long filled = 0; filled < bytes; filled += zeros.position()) {
            zeros.clear();
            while (zeros.hasRemaining()) {
                if (channel.write(zeros) < 0) {
                    throw new IOException("the file system accepted no bytes");
                }
            }
        }
    }
}
