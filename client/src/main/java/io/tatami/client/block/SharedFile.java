package io.tatami.client.block;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Units of memory in a file that a writer on this host maps and fills. The server that made it does not map it, it
 * reads: if the writer cuts the file short or changes its bytes meanwhile, that is a failed read or a wrong checksum,
 * and cannot end the server's process or change what it has verified. Safe for use by many threads.
 */
public final class SharedFile implements AutoCloseable {
    private final Path path;
    private final int units;
    private final FileChannel channel;

    private SharedFile(Path path, int units, FileChannel channel) {
        this.path = path;
        this.units = units;
        this.channel = channel;
    }

    /**
     * Makes a file that everybody who knows its name can read and write; its memory is taken now.
     *
     * @param path of a file that is not there, on a file system in memory
     * @param units of {@link SharedUnits#UNIT_BYTES}, from 1 to {@link SharedUnits#UNITS_MAX}
     * @throws TatamiException NO_SPACE where the file could not be filled; there is none then
     */
    public static SharedFile create(Path path, int units) throws TatamiException {
        return new SharedFile(path, units, SharedUnits.createFile(path, units, "rw-rw-rw-"));
    }

    public Path path() {
        return path;
    }

    public int units() {
        return units;
    }

    /**
     * Fills {@code into} between position and limit with the bytes from {@code offsetBytes} of the file on.
     *
     * @throws TatamiException MALFORMED where the writer has cut the file so short that it has not all of them;
     *     UNAVAILABLE once this is closed; IO_ERROR
     */
    public void readFully(long offsetBytes, ByteBuffer into) throws TatamiException {
        long at = offsetBytes;
        try {
            while (into.hasRemaining()) {
                int count = channel.read(into, at);
                if (count < 0) {
                    throw new TatamiException(ErrorCode.MALFORMED, "the file of the shared memory ends at byte " + at);
                }
                at += count;
            }
        } catch (TatamiException e) {
            throw e;
        } catch (ClosedChannelException e) {
            throw new TatamiException(ErrorCode.UNAVAILABLE, "the shared memory is already unmapped", e);
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot read the shared memory " + path + ": " + e, e);
        }
    }

    /** Gives up the file's memory, as far as nobody else has it mapped. The file keeps its name. */
    @Override
    public void close() throws TatamiException {
        try {
            channel.close();
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot close " + path + ": " + e, e);
        }
    }
}
