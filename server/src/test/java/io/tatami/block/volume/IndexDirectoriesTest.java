package io.tatami.block.volume;

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
    void indexesOfOthersAreThoseOfVolumesThatAreNotNamed() throws Exception {
        IndexDirectories indexes = new IndexDirectories(directory);
        Path other = Files.createDirectory(indexes.of(OTHER));
        Path own = Files.createDirectory(indexes.of(NAMED));
        Path numbered = Files.createDirectory(directory.resolve("index-0"));
        assertEquals(List.of(other), indexes.ofOthers(Set.of(NAMED)));
        assertEquals(List.of(own, other), indexes.ofOthers(Set.of()), () -> "beside " + numbered);
    }

    @Test
    void aServerThatHasNoDirectoryYetHasNoIndexOfOthers() throws Exception {
        assertEquals(List.of(), new IndexDirectories(directory.resolve("none")).ofOthers(Set.of()));
    }
}
