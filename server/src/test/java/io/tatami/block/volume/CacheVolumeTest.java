package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.volume.format.CacheVolume;
import io.tatami.block.volume.format.VolumeFormatter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class CacheVolumeTest {
    private static final UUID CLUSTER = new UUID(5, 6);
    private static final long SIZE_BYTES = 32L << 20;

    @TempDir
    private Path directory;

    @Test
    void aFileIsMadeAndOpenedAgain() throws TatamiException {
        Path file = directory.resolve("cache");

        CacheVolume.open(file, SIZE_BYTES, CLUSTER).close();

        try (Device again = CacheVolume.open(file, 1, CLUSTER)) {
            assertEquals(SIZE_BYTES, again.sizeBytes());
        }
    }

    @Test
    void aFileThatWouldBeTooSmallIsRefusedAndNotMade() throws TatamiException {
        Path file = directory.resolve("cache");
        for (long bytes : List.of(0L, (8L << 20) - 1)) {
            for (Executable making : List.<Executable>of(
                    () -> CacheVolume.open(file, bytes, CLUSTER).close(),
                    () -> VolumeFormatter.createFile(file, bytes))) {
                TatamiException refusal = assertThrows(TatamiException.class, making);
                assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
                assertTrue(String.valueOf(refusal.getMessage()).contains("larger capacity"), refusal::getMessage);
            }
        }
        assertFalse(Files.exists(file));
        CacheVolume.open(file, 8L << 20, CLUSTER).close();
    }

    @Test
    void aVolumeWithBlocksIsRefusedAndStaysAsItIs() throws Exception {
        Path file = directory.resolve("volume");
        CacheVolume.open(file, SIZE_BYTES, CLUSTER).close();
        Path index = directory.resolve("index");
        new VolumeFormatter(CLUSTER, new Random(1)).format(file, index, true);
        byte[] before = Files.readAllBytes(file);

        assertRefused(ErrorCode.ALREADY_EXISTS, "holds blocks", file, CLUSTER);

        assertArrayEquals(before, Files.readAllBytes(file));
    }

    @Test
    void aCacheIsNeverTakenForAVolume() throws TatamiException {
        Path file = directory.resolve("cache");
        CacheVolume.open(file, SIZE_BYTES, CLUSTER).close();
        VolumeOpener opener = new VolumeOpener(CLUSTER, VolumeResources.withBuffers(1, 1));

        assertThrows(TatamiException.class, () -> opener.open(file, directory.resolve("index")));
        TatamiException formatting = assertThrows(
                TatamiException.class,
                () -> new VolumeFormatter(CLUSTER, new Random(1)).format(file, directory.resolve("index"), false));
        assertEquals(ErrorCode.ALREADY_EXISTS, formatting.code());
    }

    @Test
    void anotherClustersCacheIsRefused() throws TatamiException {
        Path file = directory.resolve("cache");
        CacheVolume.open(file, SIZE_BYTES, new UUID(7, 8)).close();

        assertRefused(ErrorCode.WRONG_CLUSTER, "cache of cluster", file, CLUSTER);
    }

    @Test
    void aFileSystemIsRefused() throws Exception {
        Path file = directory.resolve("image");
        byte[] image = new byte[(int) SIZE_BYTES];
        byte[] xfs = "XFSB".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(xfs, 0, image, 0, xfs.length);
        Files.write(file, image);

        assertRefused(ErrorCode.ALREADY_EXISTS, "would destroy its data", file, CLUSTER);

        assertArrayEquals(image, Files.readAllBytes(file));
    }

    @Test
    void aFileTooSmallForOneCopyIsRefused() throws Exception {
        Path file = directory.resolve("small");
        Files.write(file, new byte[4 << 20]);

        assertRefused(ErrorCode.INVALID_ARGUMENT, "use a larger one", file, CLUSTER);
    }

    private static void assertRefused(ErrorCode code, String words, Path file, UUID cluster) {
        TatamiException refused =
                assertThrows(TatamiException.class, () -> CacheVolume.open(file, SIZE_BYTES, cluster));
        assertEquals(code, refused.code(), refused::getMessage);
        assertTrue(String.valueOf(refused.getMessage()).contains(words), refused::getMessage);
    }
}
