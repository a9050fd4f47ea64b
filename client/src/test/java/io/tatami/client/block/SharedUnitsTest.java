package io.tatami.client.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two mappings of the same memory, one of them for reading only. */
final class SharedUnitsTest {
    @TempDir
    Path directory;

    @Test
    void whatOneSideWritesTheOtherReadsWithoutTheFilesName() throws Exception {
        Path path = directory.resolve("memory");
        try (SharedUnits server = SharedUnits.create(path, 3)) {
            assertEquals("r--r--r--", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
            try (SharedUnits reader = SharedUnits.map(path, 3)) {
                Files.delete(path);
                assertEquals(3, reader.units());
                assertEquals(0, reader.memory().getLong(2 * SharedUnits.UNIT_BYTES));
                server.memory().putLong(2 * SharedUnits.UNIT_BYTES, 42);
                assertEquals(42, reader.memory().getLong(2 * SharedUnits.UNIT_BYTES));
                ByteBuffer readOnly = reader.memory();
                assertThrows(ReadOnlyBufferException.class, () -> readOnly.put(0, (byte) 1));
            }
        }
    }

    @Test
    void whatAWriterPutsThereTheServerReadsWithoutMappingIt() throws Exception {
        Path path = directory.resolve("memory");
        SharedFile server = SharedFile.create(path, 2);
        assertEquals("rw-rw-rw-", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
        assertFalse(isMapped(path));
        try (SharedUnits writer = SharedUnits.mapWritable(path, 2)) {
            writer.memory().putLong(SharedUnits.UNIT_BYTES, 42);
            ByteBuffer read = ByteBuffer.allocateDirect(Long.BYTES);
            server.readFully(SharedUnits.UNIT_BYTES, read);
            assertEquals(42, read.getLong(0));
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
                file.truncate(SharedUnits.UNIT_BYTES + 3);
            }
            TatamiException cut =
                    assertThrows(TatamiException.class, () -> server.readFully(SharedUnits.UNIT_BYTES, read.clear()));
            assertEquals(ErrorCode.MALFORMED, cut.code());
            server.close();
            TatamiException over = assertThrows(TatamiException.class, () -> server.readFully(0, read.clear()));
            assertEquals(ErrorCode.UNAVAILABLE, over.code());
        }
    }

    @Test
    void aClosedMappingIsGoneFromTheProcess() throws Exception {
        Path path = directory.resolve("a-name-that-is-nowhere-else");
        try (SharedUnits units = SharedUnits.create(path, 1)) {
            assertEquals(path, units.path());
            assertTrue(isMapped(path));
        }
        assertFalse(isMapped(path));
    }

    @Test
    void whatIsNotThereOrOfAnotherSizeIsRefused() throws Exception {
        Path path = directory.resolve("memory");
        TatamiException absent = assertThrows(TatamiException.class, () -> SharedUnits.map(path, 1));
        assertEquals(ErrorCode.NOT_FOUND, absent.code());
        try (SharedUnits units = SharedUnits.create(path, 1)) {
            TatamiException longer = assertThrows(TatamiException.class, () -> SharedUnits.map(units.path(), 2));
            assertEquals(ErrorCode.IO_ERROR, longer.code());
            TatamiException again = assertThrows(TatamiException.class, () -> SharedUnits.create(path, 1));
            assertEquals(ErrorCode.NO_SPACE, again.code());
        }
    }

    private static boolean isMapped(Path path) throws IOException {
        return Files.readString(Path.of("/proc/self/maps")).contains(path.toString());
    }
}
