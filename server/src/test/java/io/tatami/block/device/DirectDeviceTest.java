package io.tatami.block.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class DirectDeviceTest {
    private static final int PAGE = Device.ALIGNMENT_BYTES;

    @TempDir
    private Path directory;

    @Test
    void whatWasWrittenIsReadBackAfterOpeningAgain() throws Exception {
        Path file = file(1 << 20);
        try (Device device = DirectDevice.open(file)) {
            device.write(8L * PAGE, page((byte) 7));
            device.flush();
        }
        try (Device device = DirectDevice.open(file)) {
            ByteBuffer into = page((byte) 0);
            device.readFully(8L * PAGE, into);
            assertEquals(page((byte) 7), into.flip());
            assertEquals(1 << 20, device.sizeBytes());
        }
    }

    @Test
    void missingFilesDirectoriesAndMemoryFileSystemsNameTheRemedy() {
        assertFails(ErrorCode.NOT_FOUND, () -> DirectDevice.open(directory.resolve("none")));
        assertFails(ErrorCode.INVALID_ARGUMENT, () -> DirectDevice.open(directory));
    }

    @Test
    void aDeviceThatAnotherProcessHoldsNamesThatProcess() throws Exception {
        Path file = file(1 << 20);
        Process holder = holder(file);
        try {
            assertEquals('!', holder.getInputStream().read());

            TatamiException refused = assertThrows(TatamiException.class, () -> DirectDevice.open(file));

            assertEquals(ErrorCode.IN_USE, refused.code());
            assertTrue(refused.toString().contains("process " + holder.pid()), refused.toString());
        } finally {
            holder.getOutputStream().close();
            assertTrue(holder.waitFor(30, TimeUnit.SECONDS), "the holder did not end");
        }
        DirectDevice.open(file).close();
    }

    @Test
    void aSecondOpeningHereIsRefusedAndLeavesTheLockToTheFirst() throws Exception {
        Path file = file(1 << 20);
        Path otherName = Files.createSymbolicLink(directory.resolve("link"), file);
        Device device = DirectDevice.open(file);
        try {
            assertFails(ErrorCode.IN_USE, () -> DirectDevice.open(otherName));

            Process other = holder(file);
            String said = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(other.waitFor(30, TimeUnit.SECONDS), "the other process did not end");
            assertTrue(
                    said.contains(
                            "is in use by process " + ProcessHandle.current().pid()),
                    said);
        } finally {
            device.close();
        }
        DirectDevice.open(otherName).close();
    }

    @Test
    void theHolderOfALockIsReadFromTheKernelsTable() {
        List<String> lines = List.of(
                "1: FLOCK  ADVISORY  WRITE 11 08:01:77 0 EOF", "2: POSIX  ADVISORY  WRITE 4711 08:01:131104 0 EOF");

        assertEquals(Optional.of(4711L), LockHolder.ofInode(":131104", lines));
        assertEquals(Optional.empty(), LockHolder.ofInode(":5", lines));
    }

    @Test
    void aNewFileOwnsItsBlocksOrSaysThatItDoesNot() throws Exception {
        Path file = directory.resolve("new");
        VolumeFile.Allocation allocation = VolumeFile.create(file, 8 << 20);

        assertEquals(8 << 20, Files.size(file));
        assertTrue(allocation == VolumeFile.Allocation.FULL || allocation == VolumeFile.Allocation.SPARSE);
        assertFails(ErrorCode.ALREADY_EXISTS, () -> VolumeFile.create(file, 8 << 20));
        Path huge = directory.resolve("huge");
        assertFails(ErrorCode.NO_SPACE, () -> VolumeFile.create(huge, 1L << 60));
        assertTrue(Files.notExists(huge), "a file was left behind");
    }

    @Test
    void misuseIsABugAndTheFirstFailedFlushIsTheLast() throws Exception {
        SimFaults faults = new SimFaults();
        GuardedDevice device = new GuardedDevice(new SimDisk(1 << 20, faults), new FailStop("volume x"), Clock.SYSTEM);
        assertThrows(IllegalStateException.class, () -> device.write(1, page((byte) 1)));
        assertThrows(IllegalStateException.class, () -> device.write(1 << 20, page((byte) 1)));
        device.write(0, page((byte) 1));
        faults.arm(0, SimFaults.Fault.IO_ERROR);

        assertFails(ErrorCode.IO_ERROR, device::flush);
        long accesses = faults.accesses();
        TatamiException later = assertThrows(TatamiException.class, device::flush);

        assertEquals(accesses, faults.accesses(), "the flush was retried");
        assertTrue(later.toString().contains("cannot flush"), later.toString());
        assertFails(ErrorCode.IO_ERROR, () -> device.readFully(0, page((byte) 0)));
        assertEquals(1, device.errors());
        assertEquals(PAGE, device.writtenBytes());
    }

    /** Holds a device until its input ends. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] arguments) throws Exception {
            try (Device device = DirectDevice.open(Path.of(arguments[0]))) {
                System.out.print(device.sizeBytes() > 0 ? '!' : '?');
                System.out.flush();
                if (System.in.read() >= 0) {
                    throw new IllegalStateException("unexpected input");
                }
            }
        }
    }

    private static Process holder(Path file) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        return new ProcessBuilder(
                        java.toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        file.toString())
                .redirectErrorStream(true)
                .start();
    }

    private Path file(long sizeBytes) throws TatamiException {
        Path file = directory.resolve("file");
        VolumeFile.create(file, sizeBytes);
        return file;
    }

    private static ByteBuffer page(byte value) {
        ByteBuffer page = ByteBuffer.allocateDirect(2 * PAGE).alignedSlice(PAGE).limit(PAGE);
        for (int i = 0; i < PAGE; i++) {
            page.put(i, value);
        }
        return page;
    }

    private static void assertFails(ErrorCode code, Executable call) {
        assertEquals(code, assertThrows(TatamiException.class, call).code());
    }
}
