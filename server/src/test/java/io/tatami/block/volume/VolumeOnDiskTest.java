package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.device.LoopDevice;
import io.tatami.block.device.VolumeFile;
import io.tatami.block.volume.format.VolumeFormatter;
import io.tatami.block.volume.index.IndexDirectories;
import io.tatami.block.volume.maintain.Prewriter;
import io.tatami.files.CrashPoint;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** The real thing: O_DIRECT on a file of the build directory, and on a loop device where the tests run as root. */
class VolumeOnDiskTest {
    private static final UUID CLUSTER = new UUID(3, 4);
    private static final long SIZE_BYTES = 96L << 20;
    private static final VolumeResources RESOURCES = VolumeResources.withBuffers(12, 12);

    @TempDir
    private Path directory;

    @Test
    void aVolumeInAFileIsFormattedWrittenAndReadAgain() throws Exception {
        exercise(newFile("volume"));
    }

    @Test
    void aVolumeOnALoopDeviceIsFormattedWrittenAndReadAgain() throws Exception {
        try (LoopDevice loop = LoopDevice.attach(newFile("backing"))) {
            exercise(loop.path());
        }
    }

    @Test
    void aSecondServerIsRefusedUntilTheFirstHasClosed() throws Exception {
        Path file = newFile("volume");
        format(file, false);
        Volume first = open(file);
        TatamiException refused = assertThrows(TatamiException.class, () -> open(file));
        assertEquals(ErrorCode.IN_USE, refused.code());
        first.close();
        open(file).close();
    }

    @Test
    void aFormattedVolumeIsFormattedAgainOnlyByForce() throws Exception {
        Path file = newFile("volume");
        UUID first = format(file, false);
        assertFails(ErrorCode.ALREADY_EXISTS, () -> format(file, false));
        try (Volume volume = open(file)) {
            volume.create(new BlockId(1), Generation.FIRST, 10, false).finish();
        }

        UUID second = format(file, true);

        assertTrue(!first.equals(second));
        try (Volume volume = open(file)) {
            assertEquals(List.of(), volume.blocks());
        }
    }

    @Test
    void anIndexWithANumberIsGivenTheNameOfItsVolume() throws Exception {
        VolumeFormatter formatter = new VolumeFormatter(CLUSTER, new Random(5));
        Path home = directory.resolve("home");
        IndexDirectories indexes = new IndexDirectories(home);
        List<Path> files = List.of(newFile("one"), newFile("two"));
        for (int number = 0; number < 2; number++) {
            UUID id = formatter.format(files.get(number), home.resolve("index-" + number), false);
            try (Volume volume =
                    new VolumeOpener(CLUSTER, RESOURCES).open(files.get(number), home.resolve("index-" + number))) {
                assertEquals(id, volume.id());
                volume.create(new BlockId(7 + number), Generation.FIRST, 10, false)
                        .finish();
            }
        }
        assertFalse(VolumeFormatter.isUnformatted(directory.resolve("three"), indexes, Set.of()));

        for (int number = 1; number >= 0; number--) {
            try (Volume volume = new VolumeOpener(CLUSTER, RESOURCES).open(files.get(number), indexes)) {
                assertTrue(volume.find(new BlockId(7 + number)).isPresent());
                assertTrue(Files.exists(home.resolve("index-" + volume.id())));
                assertFalse(Files.exists(home.resolve("index-" + number)));
            }
        }
    }

    @Test
    void aNewFileIsWrittenAheadOfItsBlocks() throws Exception {
        Path file = newFile("ahead");
        format(file, false);
        try (Volume volume = open(file)) {
            assertTrue(new Prewriter(volume, Clock.SYSTEM, Device.UNIT_BYTES).prewrite() > 0);
            assertEquals(0, new Prewriter(volume, Clock.SYSTEM, Device.UNIT_BYTES).prewrite());
        }
        try (Volume volume = open(file)) {
            assertEquals(0, new Prewriter(volume, Clock.SYSTEM, Device.UNIT_BYTES).prewrite());
        }
    }

    @Test
    void aVolumeFileHasItsNameOnlyWhenItIsComplete() throws Exception {
        Path file = directory.resolve("whole");
        CrashPoint.listen(name -> {
            if (name.equals("volume.file.after-create")) {
                throw new IllegalStateException("broken off");
            }
        });
        try {
            assertThrows(IllegalStateException.class, () -> VolumeFile.create(file, SIZE_BYTES));
        } finally {
            CrashPoint.listen(null);
        }
        assertFalse(Files.exists(file));

        VolumeFile.create(file, SIZE_BYTES);

        assertEquals(SIZE_BYTES, Files.size(file));
    }

    @Test
    void aForeignClusterAndAForeignIndexAreRefused() throws Exception {
        Path file = newFile("volume");
        format(file, false);
        VolumeOpener foreign = new VolumeOpener(new UUID(9, 9), RESOURCES);
        assertFails(ErrorCode.WRONG_CLUSTER, () -> foreign.open(file, index(file)));
        Path other = newFile("other");
        format(other, false);

        assertFails(ErrorCode.CORRUPT, () -> new VolumeOpener(CLUSTER, RESOURCES).open(file, index(other)));
        assertFails(
                ErrorCode.NOT_FOUND, () -> new VolumeOpener(CLUSTER, RESOURCES).open(file, directory.resolve("none")));
    }

    @Test
    void aFileThatIsTooSmallOrHoldsAFileSystemIsNotFormatted() throws Exception {
        Path small = directory.resolve("small");
        VolumeFile.create(small, 1 << 20);
        assertFails(ErrorCode.INVALID_ARGUMENT, () -> format(small, false));
        Path xfs = newFile("xfs");
        byte[] head = new byte[4096];
        System.arraycopy("XFSB".getBytes(java.nio.charset.StandardCharsets.US_ASCII), 0, head, 0, 4);
        try (var file = new java.io.RandomAccessFile(xfs.toFile(), "rw")) {
            file.write(head);
        }

        TatamiException refused = assertThrows(TatamiException.class, () -> format(xfs, false));
        assertEquals(ErrorCode.ALREADY_EXISTS, refused.code());
        assertTrue(refused.toString().contains("xfs file system"), refused.toString());
        format(xfs, true);
    }

    @Test
    void aDeviceThatWasNeverFormattedNamesTheRemedy() throws Exception {
        Path file = newFile("blank");

        TatamiException refused = assertThrows(TatamiException.class, () -> open(file));

        assertEquals(ErrorCode.CORRUPT, refused.code());
        assertTrue(refused.toString().contains("tatami format"), refused.toString());
    }

    @Test
    void manyWritersAndReadersShareAVolume() throws Exception {
        Path file = newFile("volume");
        format(file, false);
        try (Volume volume = open(file)) {
            ExecutorService threads = Executors.newFixedThreadPool(6);
            List<Future<byte[]>> written = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                BlockId block = new BlockId(i + 1);
                written.add(threads.submit(() -> writeAndRead(volume, block)));
            }
            for (Future<byte[]> each : written) {
                assertTrue(each.get().length > 0);
            }
            threads.shutdown();
            assertEquals(12, RESOURCES.writeBuffers().freeBuffers());
            assertEquals(12, RESOURCES.readBuffers().freeBuffers());
        }
    }

    @Test
    void anInterruptedCallerDoesNotHarmTheDevice() throws Exception {
        Path file = newFile("volume");
        format(file, false);
        try (Volume volume = open(file)) {
            Thread.currentThread().interrupt();
            byte[] bytes = writeAndRead(volume, new BlockId(1));
            assertTrue(Thread.interrupted(), "the interrupt was lost");
            assertArrayEquals(bytes, SimVolume.readAll(volume, new BlockId(1)));
        }
    }

    private void exercise(Path path) throws Exception {
        format(path, true);
        byte[] bytes = new byte[10_000_001];
        new Random(1).nextBytes(bytes);
        BlockId block = new BlockId(5);
        try (Volume volume = open(path)) {
            BlockWriter writer = volume.create(block, Generation.FIRST, 64 << 20, false);
            append(writer, Arrays.copyOf(bytes, 4_200_007));
            writer.sync();
        }
        try (Volume volume = open(path)) {
            assertArrayEquals(Arrays.copyOf(bytes, 4_200_007), SimVolume.readAll(volume, block));
            BlockWriter writer = volume.reopen(block, Generation.of(2), 4_200_007, 64 << 20);
            append(writer, Arrays.copyOfRange(bytes, 4_200_007, bytes.length));
            writer.finish();
            assertArrayEquals(bytes, SimVolume.readAll(volume, block));
        }
        try (Volume volume = open(path)) {
            assertArrayEquals(bytes, SimVolume.readAll(volume, block));
            volume.delete(block, Generation.of(2));
            assertEquals(
                    volume.statistics().capacityBytes(), volume.statistics().largestFreeExtentBytes());
        }
    }

    private static byte[] writeAndRead(Volume volume, BlockId block) throws TatamiException {
        byte[] bytes = new byte[5_000_000 + (int) block.value()];
        new Random(block.value()).nextBytes(bytes);
        BlockWriter writer = volume.create(block, Generation.FIRST, bytes.length, false);
        append(writer, bytes);
        writer.makeVisible(bytes.length);
        assertArrayEquals(bytes, SimVolume.readAll(volume, block));
        writer.finish();
        assertArrayEquals(bytes, SimVolume.readAll(volume, block));
        return bytes;
    }

    private static void append(BlockWriter writer, byte[] bytes) throws TatamiException {
        ByteBuffer data = ByteBuffer.allocateDirect(1 << 20);
        for (int at = 0; at < bytes.length; at += data.capacity()) {
            data.clear().limit(Math.min(data.capacity(), bytes.length - at));
            data.put(0, bytes, at, data.limit());
            writer.append(data, ChunkChecksum.ofPieces(writer.lengthBytes(), data));
        }
    }

    private Path newFile(String name) throws TatamiException {
        Path file = directory.resolve(name);
        VolumeFile.create(file, SIZE_BYTES);
        return file;
    }

    private UUID format(Path path, boolean force) throws TatamiException {
        return new VolumeFormatter(CLUSTER, new java.security.SecureRandom()).format(path, index(path), force);
    }

    private Volume open(Path path) throws TatamiException {
        return new VolumeOpener(CLUSTER, RESOURCES).open(path, index(path));
    }

    private Path index(Path path) {
        return directory.resolve(path.getFileName() + ".index");
    }

    private static void assertFails(ErrorCode code, Executable call) {
        assertEquals(code, assertThrows(TatamiException.class, call).code());
    }
}
