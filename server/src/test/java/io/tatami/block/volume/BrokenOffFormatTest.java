package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.VolumeFile;
import io.tatami.block.volume.format.VolumeFormatter;
import io.tatami.block.volume.index.IndexDirectories;
import io.tatami.files.CrashPoint;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A format is halted at each point that it passes, and given again with the same words. */
class BrokenOffFormatTest {
    private static final UUID CLUSTER = new UUID(3, 4);
    private static final long SIZE_BYTES = 16L << 20;
    private static final String LAST_POINT = "volume.format.after-second-superblock";

    @TempDir
    private Path home;

    private final VolumeFormatter formatter = new VolumeFormatter(CLUSTER, new Random(5));

    @AfterEach
    void listenNoMore() {
        CrashPoint.listen(null);
    }

    @Test
    void ofAnEmptyDeviceItIsFinishedAndLeavesNothingElse() throws Exception {
        for (String point : pointsOf(newFile("first"), new IndexDirectories(home.resolve("of-first")), false)) {
            Path file = newFile("volume-" + point);
            IndexDirectories indexes = new IndexDirectories(home.resolve("of-" + point));
            breakOff(point, file, indexes, false);

            if (point.equals(LAST_POINT)) {
                assertRefused(file, indexes);
            } else {
                UUID volume = formatter.format(file, indexes, false);
                assertEquals(Set.of(volume), indexesIn(home.resolve("of-" + point)), point);
            }

            assertFalse(VolumeFormatter.isUnformatted(file, indexes, Set.of()), point);
            assertRefused(file, indexes);
            open(file, indexes).close();
        }
    }

    @Test
    void aStartTakesADeviceForUnformattedUntilItHasASuperblock() throws Exception {
        for (String point : List.of("volume.format.begun", "volume.format.index-made", "volume.format.after-index")) {
            Path file = newFile("volume-" + point);
            IndexDirectories indexes = new IndexDirectories(home.resolve("of-" + point));
            breakOff(point, file, indexes, false);

            assertTrue(VolumeFormatter.isUnformatted(file, indexes, Set.of()), point);
        }
    }

    @Test
    void byForceItRemovesTheIndexOfTheVolumeBeforeAndThoseOfOthersStay() throws Exception {
        Path directory = home.resolve("indexes");
        IndexDirectories indexes = new IndexDirectories(directory);
        Path kept = newFile("kept");
        UUID keptId = formatter.format(kept, indexes, false);
        writeBlock(kept, indexes);
        Path given = newFile("given");
        UUID first = formatter.format(given, indexes, false);
        assertTrue(VolumeFormatter.isUnformatted(home.resolve("new"), indexes, Set.of(keptId)));
        assertFalse(VolumeFormatter.isUnformatted(home.resolve("new"), indexes, Set.of(first)));
        for (String point : pointsOf(given, indexes, true)) {
            UUID before = VolumeFormatter.volumeAt(given).orElseThrow();
            writeBlock(given, indexes);
            breakOff(point, given, indexes, true);

            UUID volume = formatter.format(given, indexes, true);

            assertNotEquals(before, volume, point);
            assertEquals(Set.of(keptId, volume), indexesIn(directory), point);
            try (Volume opened = open(given, indexes)) {
                assertEquals(List.of(), opened.blocks(), point);
            }
        }
        try (Volume opened = open(kept, indexes)) {
            assertTrue(opened.find(new BlockId(7)).isPresent());
        }
    }

    /** The server may have served what a format left complete but for one copy of the superblock. */
    @Test
    void whatASuperblockNamesIsNeverRemovedUnlessByForce() throws Exception {
        Path file = newFile("volume");
        IndexDirectories indexes = new IndexDirectories(home.resolve("indexes"));
        breakOff("volume.format.after-first-superblock", file, indexes, false);
        writeBlock(file, indexes);

        formatter.format(file, indexes, false);

        try (Volume opened = open(file, indexes)) {
            assertTrue(opened.find(new BlockId(7)).isPresent());
        }
        assertRefused(file, indexes);
    }

    @Test
    void whatAnotherClusterHasBegunIsNotGoneOnWith() throws Exception {
        Path file = newFile("volume");
        IndexDirectories indexes = new IndexDirectories(home.resolve("indexes"));
        breakOff("volume.format.index-made", file, indexes, false);
        UUID begun = indexesIn(home.resolve("indexes")).iterator().next();
        IndexDirectories others = new IndexDirectories(home.resolve("others"));
        UUID otherCluster = new UUID(5, 6);

        UUID volume = new VolumeFormatter(otherCluster, new Random(6)).format(file, others, false);

        assertNotEquals(begun, volume);
        new VolumeOpener(otherCluster, VolumeResources.withBuffers(2, 2))
                .open(file, others)
                .close();
    }

    private List<String> pointsOf(Path file, IndexDirectories indexes, boolean force) throws TatamiException {
        List<String> points = new ArrayList<>();
        CrashPoint.listen(points::add);
        formatter.format(file, indexes, force);
        CrashPoint.listen(null);
        assertTrue(points.size() >= 7 && points.contains(LAST_POINT), "only " + points);
        return points;
    }

    private void breakOff(String point, Path file, IndexDirectories indexes, boolean force) {
        CrashPoint.listen(name -> {
            if (name.equals(point)) {
                throw new Halt();
            }
        });
        assertThrows(Halt.class, () -> formatter.format(file, indexes, force), point);
        CrashPoint.listen(null);
    }

    private void assertRefused(Path file, IndexDirectories indexes) {
        TatamiException refused = assertThrows(TatamiException.class, () -> formatter.format(file, indexes, false));
        assertEquals(ErrorCode.ALREADY_EXISTS, refused.code());
    }

    private static void writeBlock(Path file, IndexDirectories indexes) throws TatamiException {
        try (Volume volume = open(file, indexes)) {
            volume.create(new BlockId(7), Generation.FIRST, 10, false).finish();
        }
    }

    private static Volume open(Path file, IndexDirectories indexes) throws TatamiException {
        return new VolumeOpener(CLUSTER, VolumeResources.withBuffers(2, 2)).open(file, indexes);
    }

    private static Set<UUID> indexesIn(Path directory) throws Exception {
        Set<UUID> volumes = new HashSet<>();
        try (Stream<Path> children = Files.list(directory)) {
            children.forEach(child -> {
                String name = child.getFileName().toString();
                volumes.add(UUID.fromString(name.substring(name.indexOf("index-") + "index-".length())));
            });
        }
        return volumes;
    }

    private Path newFile(String name) throws TatamiException {
        Path file = home.resolve(name);
        VolumeFile.create(file, SIZE_BYTES);
        return file;
    }
}
