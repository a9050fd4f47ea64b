package io.tatami.block.volume.index;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class IndexDirectoriesTest {
    private static final UUID NAMED = new UUID(1, 2);
    private static final UUID OTHER = new UUID(3, 4);

    @TempDir
    private Path directory;

    @Test
    void otherVolumesAreThoseThatHaveAnIndexAndAreNotNamed() throws Exception {
        IndexDirectories indexes = new IndexDirectories(directory);
        for (Path index : List.of(indexes.of(OTHER), indexes.of(NAMED), directory.resolve("index-0"))) {
            Files.createDirectory(index);
        }
        assertEquals(Set.of(OTHER), indexes.others(Set.of(NAMED)));
        assertEquals(Set.of(NAMED, OTHER), indexes.others(Set.of()));
    }

    @Test
    void aServerThatHasNoDirectoryYetHasNoOtherVolumes() throws Exception {
        assertEquals(Set.of(), new IndexDirectories(directory.resolve("none")).others(Set.of()));
    }
}
